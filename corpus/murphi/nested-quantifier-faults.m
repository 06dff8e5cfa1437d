-- A fault inside two quantifiers of a liveness condition, which one of them may decide before it.
-- expect: violated division-by-zero depth 2
-- deadlock: off
type N: scalarset(3); var x: array [N] of 0..2;
startstate begin for n: N do x[n] := 0; end; end;
ruleset n: N do rule "inc" x[n] < 2 ==> begin x[n] := x[n] + 1; end; end;
invariant forall a: N do exists b: N do a != b & (x[a] = 0 | x[b] = 2 | 4 / (x[b] + x[a]) >= 0) end end;
liveness exists a: N do forall b: N do x[b] < 2 | 2 / x[a] = 1 end end;
