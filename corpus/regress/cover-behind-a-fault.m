-- Native code stops at a fault and does not reach the cover point behind it; that is no difference to the interpreter.
-- expect: violated undefined-read depth 1
var a: boolean; c: 0..2;
startstate begin a := true; undefine c; end;
rule "faults" begin if c = 1 then a := false; end; end;
rule "covers" begin cover a; end;
