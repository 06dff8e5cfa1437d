-- An array indexed by the greatest numbers.
-- expect: holds
-- states: 8
-- rules: 24
-- deadlock: off
type I: 9223372036854775804..9223372036854775806;
var a: array [I] of boolean;
startstate begin for i: I do a[i] := false; end; end;
ruleset i: I do rule "t" true ==> begin a[i] := !a[i]; end; end;
invariant forall i: I do i > 9223372036854775803 end;
