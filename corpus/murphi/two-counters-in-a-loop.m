-- Each of two numbers is set to one more than the other: rounds that look like additions, and depend on their order.
-- expect: holds
-- states: 16
-- rules: 44
-- deadlock: off

type N: scalarset(3);
var a: array[N] of boolean; x: 0..20; y: 0..20; go: boolean;
startstate begin for n: N do a[n] := false; end; x := 0; y := 5; go := false; end;
ruleset n: N do rule "mark" !a[n] & !go ==> begin a[n] := true; end; end;
rule "count" !go ==> begin for n: N do if a[n] then x := y + 1; else y := x + 1; end; end; go := true; end;
ruleset n: N do rule "again" go ==> begin a[n] := !a[n]; x := 0; y := 5; go := false; end; end;
invariant "i" x < 20;
