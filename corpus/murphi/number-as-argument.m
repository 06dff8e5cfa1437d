-- Identities that are passed as numbers.
-- expect: holds
-- states: 4
-- rules: 8
-- deadlock: off

type N: 0..2; K: 0..3;
var a: array[N] of boolean; k: K;
function is_one(k: K): boolean; begin return k = 1; end;
startstate begin for n: N do a[n] := false; end; k := 0; end;
ruleset n: N do rule "mark" !a[n] & !is_one(n) ==> begin a[n] := true; end;
rule "unmark" a[n] & !(exists o: N do is_one(o) & a[o] end) ==> begin a[n] := false; end; end;
invariant "t" exists n: N do !a[n] end;
