-- A condition on elements counts those of another multiset.
-- expect: holds
-- states: 380
-- rules: 1044
-- deadlock: off

type N: scalarset(3);
var m: multiset[3] of N; w: multiset[2] of N; f: boolean;
startstate begin undefine m; undefine w; f := false; end;
ruleset n: N do rule "m" multisetcount(i: m, true) < 3 ==> begin multisetadd(n, m); end;
rule "w" multisetcount(i: w, true) < 2 ==> begin multisetadd(n, w); end; end;
rule "x" multisetcount(i: m, multisetcount(j: w, w[j] = m[i]) = 1) = 2 ==> begin multisetremovepred(i: m, multisetcount(j: w, w[j] = m[i]) = 1); f := !f; end;
