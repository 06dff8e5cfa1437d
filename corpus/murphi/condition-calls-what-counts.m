-- A condition on elements calls a function that calls one that counts them.
-- expect: holds
-- states: 20
-- rules: 50
-- deadlock: off

type N: scalarset(3);
var m: multiset[3] of N;
function several(n: N): boolean; begin return multisetcount(j: m, m[j] = n) + multisetcount(j: m, true) > 3; end;
function crowded(n: N): boolean; begin return several(n); end;
startstate begin undefine m; end;
ruleset n: N do rule "add" multisetcount(i: m, true) < 3 ==> begin multisetadd(n, m); end; end;
rule "thin" true ==> begin multisetremovepred(i: m, crowded(m[i])); end;
invariant "t" multisetcount(i: m, true) <= 3;
