-- Shifting round in place copies one value everywhere.
-- expect: violated invariant "Invariant 1" depth 2
-- deadlock: off
type N: ringset(3);
var a: array [N] of 0..2;
startstate begin for n: N do a[n] := 0; end; end;
ruleset n: N do rule "set" forall m: N do a[m] = 0 end ==> begin a[n] := 1; end; end;
rule "shift" true ==> begin for n: N do a[next(n)] := a[n]; end; end;
invariant !(forall n: N do a[n] = 1 end);
