-- ltl: G F (G = 0)
var G: 0..1;
startstate G := 0; end;
rule begin G := 1 - G; end;
