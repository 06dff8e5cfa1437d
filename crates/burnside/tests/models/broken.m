var
  x: 0..3;

startstate x := 7; end;

rule "a" begin y := 1; end;
rule "b" begin x := true; end;
