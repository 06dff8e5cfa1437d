-- expect: violated cover "two"
-- Only one rule tells members apart; a cover that is never met is missed whichever search is used.
-- deadlock: off
type N: 0..3;
var a: array [N] of boolean; c: 0..4;
startstate begin for n: N do a[n] := false; end; c := 0; end;
ruleset n: N do rule "set" !a[n] & c < 3 ==> begin a[n] := true; c := c + 1; end; end;
ruleset n: N do rule "unset" a[n] ==> begin a[n] := false; c := c - 1; end; end;
rule "first" !a[0] & c = 3 ==> begin a[0] := true; c := 4; end;
cover "two" c = 4 & !a[1];
