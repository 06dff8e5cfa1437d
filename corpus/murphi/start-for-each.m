-- A start state for each member.
-- expect: violated invariant "Invariant 1" depth 1
-- deadlock: off
type P: scalarset(3);
var a: array [P] of boolean; y: P;
ruleset p: P do startstate for q: P do a[q] := q = p; end; undefine y; end; end;
ruleset p: P do rule "y" isundefined(y) ==> begin y := p; end; end;
invariant isundefined(y) | !a[y];
