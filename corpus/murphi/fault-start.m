-- The start state itself is at fault.
-- expect: violated assertion "begins badly" depth 0
-- agrees: rumur 2022.08.20

var x: 0..3;
startstate "good" begin x := 0; end;
startstate "bad" begin x := 3; assert x < 3 "begins badly"; end;
rule "step" begin x := (x + 1) % 3; end;
