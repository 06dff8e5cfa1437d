-- Two ranges of one shape whose values meet in a comparison.
-- expect: violated invariant "Invariant 1" depth 3
-- deadlock: off
type A: 0..2; B: 0..2;
var x: A; y: B; f: array [A] of B;
startstate begin undefine x; undefine y; undefine f; end;
ruleset a: A do rule "x" isundefined(x) ==> begin x := a; end; end;
ruleset b: B do rule "y" isundefined(y) ==> begin y := b; end; end;
rule "f" !isundefined(x) & !isundefined(y) ==> begin f[x] := y; end;
invariant isundefined(x) | isundefined(y) | isundefined(f[x]) | x != y;
