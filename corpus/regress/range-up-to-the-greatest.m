-- Members of a range at the edge of 64 bits are exchanged like others: the sum on the way does not fit, its value does.
-- expect: holds
-- states: 16
-- rules: 64
-- deadlock: off
type I: 9223372036854775804..9223372036854775807;
var a: array [I] of boolean;
startstate begin for i: I do a[i] := false; end; end;
ruleset i: I do rule "turn" true ==> begin a[i] := !a[i]; end; end;
invariant forall i: I do i > 9223372036854775803 end;
