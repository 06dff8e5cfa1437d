-- An alias of the sum of an undefined variable stands in front of a guard that does not need it.
-- expect: violated undefined-read depth 2
-- deadlock: off
type R: 0..2;
var x: R; y: R; go: boolean;
startstate begin x := 0; go := false; y := 0; end;
rule "up" x < 2 ==> begin x := x + 1; if x = 2 then undefine y; end; end;
alias q: y + 1 do rule "never" go ==> begin go := q > 5; end; end;
