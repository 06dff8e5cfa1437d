-- Bits of a negative number beyond the range.
-- expect: violated value-out-of-range depth 5
-- deadlock: off

var x: -1..3; y: 0..3;
startstate begin x := 3; y := 0; end;
rule "x" x > -1 ==> begin x := x - 1; end;
rule "y" true ==> begin y := x & 7; end;
