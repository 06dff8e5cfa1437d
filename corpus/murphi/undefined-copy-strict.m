-- The same model under the stricter reading.
-- expect: violated undefined-read depth 1
-- undefined: strict
-- agrees: rumur 2022.08.20

var x, y: 0..2; b: boolean;
startstate begin x := 0; b := false; end;
rule "copy" begin x := y; b := !b; end;
rule "reset" isundefined(x) ==> begin x := 0; end;
