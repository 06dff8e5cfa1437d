-- Too many tokens in a ring: each wanders to a neighbour, and two that meet become one (Israeli and Jalfon).
--
-- No process is special, so the members of a ringset can be rotated, and here also reflected, since tokens go both
-- ways. `burnside symmetry` finds the dihedral group, and 17 states stand for all 127.
-- expect: holds
-- states: 127
-- rules: 896

const
  N: 7;

type
  Process: ringset(N);

var
  token: array [Process] of boolean;

ruleset p: Process; q: Process do
  rule "pass it on" token[p] & (q = next(p) | p = next(q)) ==>
  begin
    token[p] := false;
    token[q] := true;
  end;
end;

startstate "a token everywhere"
begin
  for p: Process do
    token[p] := true;
  end;
end;

invariant "never without a token"
  exists p: Process do token[p] end;
