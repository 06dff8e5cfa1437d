-- A variable is compared before it has a value.
-- expect: violated undefined-read depth 4
-- agrees: rumur 2022.08.20

var x, y: 0..3;
startstate begin x := 0; end;
rule "step" x < 3 ==> begin x := x + 1; end;
rule "compare" x = 3 ==> begin if y = 0 then x := 0; end; end;
