-- The last one of a loop over a union is kept and copied to each member of one of its sets.
-- expect: holds
-- states: 75
-- rules: 150
-- deadlock: off
type A: scalarset(2); B: scalarset(2); U: union {A, B};
var u: U; v: array [U] of 0..2; c: 0..2; x: array [A] of U;
startstate begin for y: U do v[y] := 0; end; c := 0; end;
ruleset y: U do rule "i" v[y] < 2 & c < 2 ==> begin v[y] := v[y] + 1; c := c + 1; end; end;
rule "max" c = 2 ==>
begin for y: U do if v[y] = 2 then u := y; end; end; for a: A do x[a] := u; end; c := 0;
  for y: U do v[y] := 0; end; end;
invariant forall a: A do isundefined(x[a]) | x[a] = u end;
