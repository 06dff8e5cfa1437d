-- The start state names one member.
-- expect: violated invariant "Invariant 1" depth 1
-- deadlock: off
type P: scalarset(3);
var a: array [P] of boolean;
startstate for q: P do a[q] := q = 2; end; end;
ruleset p: P do rule "t" !a[p] ==> begin for q: P do a[q] := q = p; end; end; end;
invariant !a[1];
