-- A divisor that counts down.
-- expect: violated division-by-zero depth 4
-- agrees: rumur 2022.08.20

var n: 0..3; q: 0..9;
startstate begin n := 3; q := 0; end;
rule "divide" begin q := 9 / n; n := n - 1; end;
