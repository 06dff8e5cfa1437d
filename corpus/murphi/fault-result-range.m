-- A result outside the range of its function.
-- expect: violated value-out-of-range depth 8
-- agrees: rumur 2022.08.20

type Small: 0..2; Large: 0..9;
var x: Large;
function half(value: Large): Small; begin return value / 2; end;
startstate begin x := 0; end;
rule "up" x < 9 ==> begin x := x + 1; end;
rule "use" x = 7 ==> begin x := half(x); end;
