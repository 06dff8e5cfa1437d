-- A model that ends.
-- expect: holds
-- deadlock: off
-- states: 4
-- rules: 3
-- agrees: rumur 2022.08.20

var x: 0..3;
startstate begin x := 0; end;
rule "up" x < 3 ==> begin x := x + 1; end;
