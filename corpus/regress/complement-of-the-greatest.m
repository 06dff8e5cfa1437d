-- The complement of the greatest integer is the number that stands for "undefined": a fault, not a value.
-- expect: violated overflow depth 1
-- deadlock: off
var x: 0..1; y: boolean;
startstate begin x := 1; y := false; end;
rule "complement" true ==> begin y := ~(9223372036854775806 + x) < 0; end;
