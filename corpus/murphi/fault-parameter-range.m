-- An argument outside the range of its parameter.
-- expect: violated value-out-of-range depth 4
-- agrees: rumur 2022.08.20

type Small: 0..2; Large: 0..9;
var x: Large;
function twice(value: Small): Large; begin return 2 * value; end;
startstate begin x := 0; end;
rule "up" x < 9 ==> begin x := x + 1; end;
rule "use" x = 3 ==> begin x := twice(x); end;
