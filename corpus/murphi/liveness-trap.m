-- Whoever enters the trap does not return.
-- expect: violated liveness "free" depth 3
-- states: 6
-- rules: 9
-- agrees: rumur 2022.08.20

var x: 0..5;
startstate begin x := 0; end;
rule "up" x < 3 ==> begin x := x + 1; end;
rule "down" x > 0 & x <= 3 ==> begin x := x - 1; end;
rule "fall" x = 2 ==> begin x := 4; end;
rule "to and fro" x >= 4 ==> begin x := 9 - x; end;
liveness "free" x = 0;
