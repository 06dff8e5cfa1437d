-- A remainder by zero, in a guard.
-- expect: violated division-by-zero depth 2
-- agrees: rumur 2022.08.20

var n: 0..3; b: boolean;
startstate begin n := 2; b := false; end;
rule "down" n > 0 ==> begin n := n - 1; end;
rule "odd" 9 % n = 1 ==> begin b := !b; end;
