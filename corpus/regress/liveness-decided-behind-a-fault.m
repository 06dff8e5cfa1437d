-- As `liveness-decided-before-a-fault.m`, with the one that faults told apart by the other value.
-- expect: violated division-by-zero depth 1
-- deadlock: off
type P: scalarset(3);
var busy: array [P] of 0..1;
startstate begin for p: P do busy[p] := 1; end; end;
ruleset p: P do rule "stop" forall q: P do busy[q] = 1 end ==> begin busy[p] := 0; end; end;
liveness "some quotient" exists p: P do 1 / busy[p] = 1 end;
