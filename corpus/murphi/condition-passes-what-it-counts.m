-- A condition on elements passes to a function how many of them there are.
-- expect: holds
-- states: 20
-- rules: 50
-- deadlock: off

type N: scalarset(3);
var m: multiset[3] of N;
function same(b: boolean): boolean; begin return b; end;
startstate begin undefine m; end;
ruleset n: N do rule "add" multisetcount(i: m, true) < 3 ==> begin multisetadd(n, m); end; end;
rule "thin" true ==> begin multisetremovepred(i: m, same(multisetcount(j: m, m[j] = m[i]) + multisetcount(j: m, true) > 3)); end;
invariant "t" multisetcount(i: m, true) <= 3;
