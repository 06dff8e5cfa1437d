-- expect: violated overflow "the result does not fit 64 bits" depth 4
-- Nothing shifted by any distance is nothing; something is a fault.
-- deadlock: off
var d: 0..70; z: 0..1; y: 0..9;
startstate begin d := 62; z := 0; y := 0; end;
rule "shift" d < 66 ==> begin y := z << d; assert y = 0; d := d + 1; end;
rule "far" d = 64 ==> begin z := 1; end;
rule "one" z = 1 ==> begin y := (z << d) & 1; end;
