-- An invariant that cannot be evaluated is a fault of the model.
-- expect: violated undefined-read depth 1
-- agrees: rumur 2022.08.20

var x: 0..3; b: boolean;
startstate begin x := 0; b := true; end;
rule "flip" begin b := !b; end;
rule "forget" b ==> begin undefine x; end;
rule "remember" !b ==> begin x := 1; end;
invariant "small" x < 3;
