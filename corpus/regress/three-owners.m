-- Slots with three owners that refer to a fourth identity.
-- expect: holds
-- states: 577
-- rules: 1584
-- deadlock: off
type N: scalarset(2); M: scalarset(2);
var t: array [N] of array [M] of array [N] of M; u: array [N] of array [M] of array [N] of 0..1; left: 0..3;
startstate begin for a: N do for b: M do for c: N do undefine t[a][b][c]; u[a][b][c] := 0; end; end;
end; left := 3; end;
ruleset a: N; b: M; c: N; d: M do
  rule "set" left > 0 & isundefined(t[a][b][c]) ==>
  begin t[a][b][c] := d; if a != c then u[c][d][a] := 1; end; left := left - 1; end;
end;
invariant "bounded" forall a: N do forall b: M do u[a][b][a] = 0 end end;
