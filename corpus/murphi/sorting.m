-- Neighbours swap until the numbers are in order; they always can get there.
-- expect: holds
-- states: 24
-- rules: 37
-- agrees: rumur 2022.08.20

const N: 4;
type Place: 0..N - 1;
var a: array [Place] of Place;
startstate "sorted" begin for p: Place do a[p] := p; end; end;
rule "shuffle" forall p: Place do a[p] = p end ==> begin for p: Place do a[p] := N - 1 - p; end; end;
ruleset p: 0..N - 2 do
  rule "swap" a[p] > a[p + 1] ==>
  var old: Place;
  begin old := a[p]; a[p] := a[p + 1]; a[p + 1] := old; end;
end;
invariant "a permutation" forall v: Place do exists p: Place do a[p] = v end end;
liveness "sorted" forall p: Place do a[p] = p end;
