-- Elements of two multisets exchanged, moved, and taken out by what the other one holds.
-- expect: holds
-- states: 200
-- rules: 1290
-- deadlock: off

type N: scalarset(3);
var m: multiset[2] of N; w: multiset[3] of N;
startstate begin undefine m; undefine w; end;
ruleset n: N do rule "add" multisetcount(i: m, true) < 2 ==> begin multisetadd(n, m); end; end;
choose i: m do choose j: w do rule "swap" m[i] != w[j] ==> var t: N; begin t := m[i]; m[i] := w[j]; w[j] := t; end; end; end;
choose i: m do rule "mv" multisetcount(j: w, true) < 3 ==> begin multisetadd(m[i], w); multisetremove(i, m); end; end;
choose j: w do rule "del" true ==> begin multisetremovepred(i: m, m[i] = w[j]); multisetremove(j, w); end; end;
