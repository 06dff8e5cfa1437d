-- Everybody writes a bit of their own three times and stops.
-- expect: holds
-- states: 64
-- rules: 144
-- deadlock: off
-- with: --symmetry refine => holds states 20
-- with: --symmetry off --partial-order on => holds states 10
-- with: --symmetry refine --partial-order on => holds states 10

const N: 3; K: 3;
type Proc: scalarset(N);
var w: array [Proc] of 0..1; pc: array [Proc] of 0..K;
startstate begin for p: Proc do w[p] := 0; pc[p] := 0; end; end;
ruleset p: Proc do
  rule "one" pc[p] = 0 ==> begin pc[p] := 1; w[p] := 1; end;
  rule "two" pc[p] = 1 ==> begin pc[p] := 2; w[p] := 0; end;
  rule "three" pc[p] = 2 ==> begin pc[p] := 3; w[p] := 1; end;
end;
