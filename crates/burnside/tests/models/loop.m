var
  n: 0..20;

startstate n := 20; end;

rule "empty" begin while n > 0 do n := n - 1; end; end;
rule "fill" begin n := 20; end;
