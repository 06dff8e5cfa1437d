var
  n: 0..5;

startstate "zero" n := 0; end;

rule "step" begin n := (n + 2) % 6; assert "never four" n != 4; end;
