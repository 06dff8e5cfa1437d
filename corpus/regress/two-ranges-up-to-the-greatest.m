-- Two ranges at the edge of 64 bits: points are numbered through both, and no number on the way may leave the range.
-- expect: holds
-- states: 157
-- rules: 339
-- deadlock: off
type I: 9223372036854775805..9223372036854775807; J: 9223372036854775804..9223372036854775806;
var a: array [I] of boolean; last: I; b: array [J] of boolean; other: J;
startstate begin for i: I do a[i] := false; end; for j: J do b[j] := false; end; end;
ruleset i: I do rule "on" !a[i] ==> begin a[i] := true; last := i; end; end;
ruleset j: J do rule "off" !b[j] & !isundefined(last) ==> begin b[j] := true; other := j; end; end;
invariant isundefined(last) | a[last];
invariant isundefined(other) | b[other];
