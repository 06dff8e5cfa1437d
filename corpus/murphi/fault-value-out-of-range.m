-- One step too many.
-- expect: violated value-out-of-range depth 4
-- agrees: rumur 2022.08.20

var x: 0..3;
startstate begin x := 0; end;
rule "up" begin x := x + 1; end;
