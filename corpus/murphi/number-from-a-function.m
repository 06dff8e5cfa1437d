-- Identities that a function returns as numbers.
-- expect: holds
-- states: 4
-- rules: 6
-- deadlock: off

type N: 0..2; K: 0..3;
var a: array[N] of boolean; k: K;
function number(n: N): K; begin return n; end;
startstate begin for n: N do a[n] := false; end; k := 0; end;
ruleset n: N do rule "mark" !a[n] & number(n) != 1 ==> begin a[n] := true; end;
rule "unmark" a[n] & number(n) > k ==> begin a[n] := false; end; end;
invariant "t" exists n: N do !a[n] end;
