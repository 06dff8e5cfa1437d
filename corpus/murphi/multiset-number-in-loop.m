-- A loop looks at how many are in a multiset already.
-- expect: violated invariant "Invariant 1" depth 2
-- deadlock: off
type P: scalarset(3); B: multiset [3] of P;
var b: B; y: P; z: P; d: boolean;
startstate undefine b; undefine y; undefine z; d := false; end;
ruleset p: P do rule "y" isundefined(y) ==> begin y := p; end; end;
rule "l" !isundefined(y) & !d ==> begin d := true; for p: P do if multisetcount(i: b, true) = 1 then z := p; end; multisetadd(p, b); end; end;
invariant isundefined(z) | z != y;
