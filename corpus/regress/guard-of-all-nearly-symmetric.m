-- expect: violated invariant "early" depth 8
-- Guards that look at all members, and for each at all others, in a search that splits identities only where it must.
-- deadlock: off
type N: 0..3;
var a: array [N] of boolean; b: array [N] of boolean; c: 0..4;
startstate begin for n: N do a[n] := false; b[n] := false; end; c := 0; end;
ruleset n: N do rule "set" !a[n] ==> begin a[n] := true; end; end;
ruleset n: N do rule "move" a[n] & c < 2 ==> begin a[n] := false; b[n] := true; c := c + 1; end; end;
rule "each" forall n: N do exists m: N do n != m & (a[n] -> b[m]) end end & c = 2 ==> begin c := 3; end;
rule "all" forall n: N do a[n] | b[n] end & c = 3 ==> begin c := 4; end;
rule "first" a[0] & b[1] ==> begin b[0] := true; end;
invariant "early" !(c = 4 & b[0] & b[1] & !b[2]);
