-- Real numbers are not supported, and said to be so.
-- expect: invalid unsupported-real

var x: real(4, 99); b: boolean;
startstate begin b := true; end;
rule "r" begin b := !b; end;
