-- A loop numbers the members of a union.
-- expect: violated invariant "Invariant 1" depth 2
-- deadlock: off
type P: scalarset(2); Q: scalarset(2); U: union {P, Q};
var a: array [U] of 0..4; y: U; k: 0..4; d: boolean;
startstate for u: U do a[u] := 0; end; undefine y; k := 0; d := false; end;
ruleset u: U do rule "y" isundefined(y) ==> begin y := u; end; end;
rule "number" !isundefined(y) & !d ==> begin d := true; for u: U do k := k + 1; a[u] := k; end; end;
invariant isundefined(y) | a[y] != 2;
