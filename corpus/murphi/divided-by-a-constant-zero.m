-- A guard divides by a constant zero behind a conjunct that decides.
-- expect: violated division-by-zero depth 4
-- deadlock: off

const Z: 0;
type N: scalarset(2);
var a: array[N] of boolean; x: 0..3;
startstate begin for n: N do a[n] := false; end; x := 0; end;
rule "up" x < 2 ==> begin x := x + 1; end;
ruleset n: N do rule "mark" x = 2 & !a[n] ==> begin a[n] := true; end;
rule "divide" (forall o: N do a[o] end) & x / Z = 1 ==> begin x := 0; end; end;
