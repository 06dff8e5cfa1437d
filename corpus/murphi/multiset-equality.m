-- Whole multisets are compared slot by slot.
-- expect: holds
-- states: 37
-- rules: 109
-- deadlock: off
type P: scalarset(2); B: multiset [2] of P;
var x: B; y: B; eq: boolean; t: P;
startstate begin undefine x; undefine y; eq := true; undefine t; end;
ruleset p: P do rule "x" multisetcount(i: x, true) < 2 ==> begin multisetadd(p, x); eq := x = y; end; end;
ruleset p: P do rule "y" multisetcount(i: y, true) < 2 ==> begin multisetadd(p, y); eq := x = y; end; end;
rule "reset" true ==> begin undefine x; undefine y; eq := true; end;
invariant eq -> multisetcount(i: x, true) = multisetcount(i: y, true);
