-- The same idle step counts for nothing in the usual mode.
-- expect: violated deadlock depth 3
-- agrees: rumur 2022.08.20

var x: 0..3;
startstate begin x := 0; end;
rule "up" x < 3 ==> begin x := x + 1; end;
rule "idle" begin end;
