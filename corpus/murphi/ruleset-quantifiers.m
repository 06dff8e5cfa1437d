-- Several parameters in one quantifier.
-- expect: holds
-- states: 34
-- rules: 126

type Place: 0..2;
var taken: array [Place] of array [Place] of boolean;

function rooks(): boolean;
begin
  return forall r: Place; a: Place; b: Place do taken[r][a] & taken[r][b] -> a = b end
       & forall c: Place; a: Place; b: Place do taken[a][c] & taken[b][c] -> a = b end;
end;

ruleset r: Place; c: Place do
  rule "place" !taken[r][c]
    & !(exists x: Place do taken[r][x] | taken[x][c] end) ==> begin taken[r][c] := true; end;
  rule "lift" taken[r][c] ==> begin taken[r][c] := false; end;
end;

startstate begin for r: Place; c: Place do taken[r][c] := false; end; end;
invariant "no rook attacks" rooks();
