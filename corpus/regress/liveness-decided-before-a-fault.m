-- A quantifier of a liveness condition that is decided before it meets the one that faults: with the first one busy it is
-- not, whoever stands for whom.
-- expect: violated division-by-zero depth 1
-- deadlock: off
type P: scalarset(3);
var busy: array [P] of 0..1;
startstate begin for p: P do busy[p] := 0; end; end;
ruleset p: P do rule "start" forall q: P do busy[q] = 0 end ==> begin busy[p] := 1; end; end;
liveness "some quotient" exists p: P do 1 / (1 - busy[p]) = 1 end;
