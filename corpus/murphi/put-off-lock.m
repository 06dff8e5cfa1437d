-- A step of one's own, the lock, another step of one's own, the lock given back, again and again.
-- expect: holds
-- states: 32
-- rules: 72
-- with: --symmetry refine => holds states 10

const N: 3;
type Proc: scalarset(N);
var w: array [Proc] of 0..1; pc: array [Proc] of 0..3; lock: 0..1;
startstate begin for p: Proc do w[p] := 0; pc[p] := 0; end; lock := 1; end;
ruleset p: Proc do
  rule "before" pc[p] = 0 ==> begin pc[p] := 1; w[p] := 1; end;
  rule "lock" pc[p] = 1 & lock >= 1 ==> begin pc[p] := 2; lock := lock - 1; end;
  rule "inside" pc[p] = 2 ==> begin pc[p] := 3; w[p] := 0; end;
  rule "unlock" pc[p] = 3 ==> begin pc[p] := 0; lock := lock + 1; end;
end;
