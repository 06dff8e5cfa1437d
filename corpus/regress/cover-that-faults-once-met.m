-- A cover is evaluated in every state, also after it was met: the third state divides by zero.
-- expect: violated division-by-zero depth 2
-- deadlock: off
var x: 0..2;
startstate begin x := 0; end;
rule "up" x < 2 ==> begin x := x + 1; end;
cover "half" 2 / (2 - x) = 1;
