-- A round counts elements by one field and takes them out by another.
-- expect: holds
-- states: 8
-- rules: 11
-- deadlock: off

type N: scalarset(2); R: record k: N; l: N; end;
var m: multiset[1] of R; c: R; b: array[N] of boolean; go: boolean;
startstate begin undefine m; undefine c; for n: N do b[n] := false; end; go := false; end;
ruleset n: N; o: N do rule "add" !go & multisetcount(i: m, true) = 0 ==> begin c.k := n; c.l := o; multisetadd(c, m); undefine c; end; end;
rule "round" !go & multisetcount(i: m, true) = 1 ==> begin for n: N do b[n] := multisetcount(i: m, m[i].k = n) = 1; multisetremovepred(i: m, m[i].l = n); end; go := true; end;
rule "again" go ==> begin go := false; for n: N do b[n] := false; end; end;
