-- An alias of a value that faults stands in front of a guard that does not need it.
-- expect: violated division-by-zero depth 2
-- deadlock: off
var x: 0..2; go: boolean;
startstate begin x := 0; go := false; end;
rule "up" x < 2 ==> begin x := x + 1; end;
alias q: 4 / (2 - x) do rule "never" go ==> begin go := q > 5; end; end;
