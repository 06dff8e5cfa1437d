-- A state that is never met is reported once all are known.
-- expect: violated cover "corner"
-- states: 4
-- rules: 4
-- agrees: rumur 2022.08.20

var x, y: 0..3;
startstate begin x := 0; y := 0; end;
rule "together" begin x := (x + 1) % 4; y := (y + 1) % 4; end;
cover "middle" x = 2 & y = 2;
cover "corner" x = 3 & y = 0;
