-- A plain copy may copy "undefined".
-- expect: holds
-- states: 4
-- rules: 6

var x, y: 0..2; b: boolean;
startstate begin x := 0; b := false; end;
rule "copy" begin x := y; b := !b; end;
rule "reset" isundefined(x) ==> begin x := 0; end;
