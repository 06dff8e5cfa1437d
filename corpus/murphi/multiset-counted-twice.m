-- A count of elements for which a count of elements is one.
-- expect: holds
-- states: 8
-- rules: 13
-- deadlock: off
type P: scalarset(3); B: multiset [3] of P;
var x: B;
startstate begin undefine x; end;
ruleset p: P do rule "add" multisetcount(i: x, x[i] = p) = 0 ==> begin multisetadd(p, x); end; end;
rule "drop" multisetcount(i: x, true) = 3 ==> begin undefine x; end;
invariant multisetcount(i: x, multisetcount(j: x, x[j] = x[i]) = 1) = multisetcount(i: x, true);
