-- Every state allows an idle step: no deadlock in mode `stuck`.
-- expect: holds
-- deadlock: stuck
-- states: 4
-- rules: 7
-- agrees: rumur 2022.08.20

var x: 0..3;
startstate begin x := 0; end;
rule "up" x < 3 ==> begin x := x + 1; end;
rule "idle" begin end;
