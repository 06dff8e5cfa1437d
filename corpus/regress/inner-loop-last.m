-- expect: violated invariant "not the first" depth 2
-- The last round of an inner loop leaves its mark, though the outer loop may run in any order.
-- deadlock: off
type N: scalarset(2); M: scalarset(3);
var a: array [N] of boolean; b: array [M] of boolean; last: M; y: M;
startstate begin for n: N do a[n] := false; end; for m: M do b[m] := false; end; undefine last; undefine y; end;
rule "run" isundefined(last) ==> begin for n: N do a[n] := true; for m: M do last := m; end; end; end;
ruleset m: M do rule "mark" isundefined(y) ==> begin y := m; end; end;
invariant "not the first" isundefined(y) | isundefined(last) | y != last;
