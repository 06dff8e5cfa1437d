-- expect: violated invariant "few" depth 3
-- A guard that some member satisfies is no guard of each member, and no more is one that looks at all others.
-- deadlock: off
type N: 0..3;
var a: array [N] of boolean; b: array [N] of boolean; c: 0..4;
startstate begin for n: N do a[n] := false; b[n] := false; end; c := 0; end;
ruleset n: N do rule "set" !a[n] ==> begin a[n] := true; end; end;
rule "some" exists n: N do a[n] end & c < 2 ==> begin c := c + 1; end;
rule "none" !(forall n: N do !a[n] end) & c = 2 ==> begin c := 3; end;
rule "each" forall n: N do exists m: N do a[n] & !b[m] end end & c = 2 ==> begin b[0] := true; c := 4; end;
rule "first" a[0] & !b[0] ==> begin b[0] := true; end;
invariant "few" !(c = 2 & !a[1] & !a[2] & !a[3]);
