-- Two semaphores each, in a ring, taken one after the other and given back, again and again. Steps of distant processes accord.
-- expect: violated deadlock depth 3
-- with: --deadlock off --symmetry off => holds states 26
-- with: --deadlock off --symmetry refine => holds states 10

const N: 3;
type Proc: ringset(N);
var sem: array [Proc] of 0..1; pc: array [Proc] of 0..3;
startstate begin for p: Proc do sem[p] := 1; pc[p] := 0; end; end;
ruleset p: Proc do
  rule "left" pc[p] = 0 & sem[p] >= 1 ==> begin pc[p] := 1; sem[p] := sem[p] - 1; end;
  rule "right" pc[p] = 1 & sem[next(p)] >= 1 ==> begin pc[p] := 2; sem[next(p)] := sem[next(p)] - 1; end;
  rule "give left" pc[p] = 2 ==> begin pc[p] := 3; sem[p] := sem[p] + 1; end;
  rule "give right" pc[p] = 3 ==> begin pc[p] := 0; sem[next(p)] := sem[next(p)] + 1; end;
end;
