-- Recursive functions and procedures with `var` parameters.
-- expect: holds
-- states: 7
-- rules: 7
-- agrees: rumur 2022.08.20

type Count: 0..6; Sum: 0..63;
var n: Count; result: Sum; moves: Sum;

function triangle(k: Count): Sum;
begin
  if k = 0 then return 0; end;
  return k + triangle(k - 1);
end;

procedure hanoi(height: Count; var done: Sum);
begin
  if height > 0 then
    hanoi(height - 1, done);
    done := done + 1;
    hanoi(height - 1, done);
  end;
end;

startstate begin n := 0; result := 0; moves := 0; end;

rule "next" begin
  n := (n + 1) % 7;
  result := triangle(n);
  moves := 0;
  if n < 6 then hanoi(n, moves); end;
end;

invariant "triangle" result = n * (n + 1) / 2;
invariant "hanoi" n < 6 -> moves = (1 << n) - 1;
