-- The guard reads what the first rule took away; the fault happens before the rule fires.
-- expect: violated undefined-read depth 1
-- agrees: rumur 2022.08.20

var x: 0..3; b: boolean;
startstate begin x := 0; b := true; end;
rule "forget" b ==> begin undefine x; b := false; end;
rule "step" x < 3 ==> begin x := x + 1; end;
