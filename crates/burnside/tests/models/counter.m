-- As many states as one likes: N digits to the base B.
const
  N: 6;
  B: 10;
type
  digit: 0..N - 1;
var
  digits: array[digit] of 0..B - 1;

startstate "zero"
  for d: digit do digits[d] := 0; end;
end;

ruleset d: digit do
  rule "turn" begin digits[d] := (digits[d] + 1) % B; end;
end;

invariant "digits" digits[0] < B;
