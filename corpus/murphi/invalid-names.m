-- All mistakes are reported at once.
-- expect: invalid unknown-name unknown-name duplicate-name

var x: 0..3;
startstate begin x := y; end;
rule "r" z = 1 ==> begin x := 0; end;
var x: boolean;
