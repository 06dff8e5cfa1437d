-- From every state the counter can come home.
-- expect: holds
-- states: 7
-- rules: 12
-- agrees: rumur 2022.08.20

var x: 0..6;
startstate begin x := 0; end;
rule "up" x < 6 ==> begin x := x + 1; end;
rule "half" x > 1 ==> begin x := x / 2; end;
rule "home" x = 1 ==> begin x := 0; end;
liveness "home" x = 0;
