-- Keywords in any case, names in their own.
-- expect: holds
-- states: 3
-- rules: 3
-- agrees: rumur 2022.08.20

CONST n: 2;
TYPE N: 0..n;
VAR x, X: N;
STARTSTATE BEGIN x := 0; X := n; END;
RULE "both" x < n ==> BEGIN x := x + 1; X := X - 1; ENDRULE;
Rule "back" x = n ==> Begin x := 0; X := n; EndRule;
INVARIANT "sum" x + X = n;
