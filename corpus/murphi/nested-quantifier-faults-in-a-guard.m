-- A fault inside two quantifiers of a guard.
-- expect: violated division-by-zero depth 2
-- deadlock: off
type N: scalarset(3); var x: array [N] of 0..2;
startstate begin for n: N do x[n] := 0; end; end;
ruleset n: N do
  rule "inc" x[n] < 2 & (exists a: N do forall b: N do a = b | x[a] = 0 | 1 / (2 - x[a]) = 1 end end) ==>
  begin x[n] := x[n] + 1; end; end;
invariant true;
