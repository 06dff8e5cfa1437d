-- The greatest number goes round a ring.
-- expect: violated invariant "Invariant 1" depth 3
-- deadlock: off
type I: 0..2;
var m: array [I] of I; l: I;
startstate begin for i: I do m[i] := i; end; undefine l; end;
ruleset i: I do rule "pass" m[i] > m[(i + 1) % 3] ==> begin m[(i + 1) % 3] := m[i]; end; end;
ruleset i: I do rule "lead" m[i] = i & forall j: I do m[j] = i end ==> begin l := i; end; end;
invariant isundefined(l) | l != 2;
