-- Pairs of members of two sets in a multiset, and a matrix over both sets.
-- expect: holds
-- states: 1696
-- rules: 5568
-- deadlock: off

type N: scalarset(2); M: scalarset(3); P: record n: N; m: M; end; var s: multiset[2] of P; b: array[N] of array[M] of boolean; p: P;
startstate begin undefine s; undefine p; for n: N do for m: M do b[n][m] := false; end; end; end;
ruleset n: N; m: M do rule "a" multisetcount(i: s, true) < 2 & !b[n][m] ==> begin p.n := n; p.m := m; multisetadd(p, s); undefine p; end; end;
choose i: s do rule "b" true ==> begin b[s[i].n][s[i].m] := true; multisetremovepred(j: s, s[j].n = s[i].n & s[j].m != s[i].m); end;
rule "c" b[s[i].n][s[i].m] ==> begin multisetremove(i, s); end; end;
