-- What a round leaves in a local variable the next one sees: an order of members.
-- expect: violated invariant "Invariant 1" depth 1
-- deadlock: off
type P: scalarset(3);
var a: array [P] of boolean; n: 0..9;
startstate begin for p: P do a[p] := false; end; n := 0; end;
rule "go" n = 0 ==> var last: P; begin for p: P do if !isundefined(last) then a[last] := true; end; last := p; end; n := 1; end;
invariant n = 0 | (forall p: P do a[p] end);
