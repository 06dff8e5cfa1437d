-- A function counts rounds in a `var` parameter.
-- expect: violated invariant "Invariant 1" depth 2
-- deadlock: off
type P: scalarset(3);
var z: P; y: P; d: boolean; k: 0..3;
function nth(var c: 0..3): boolean; begin c := c + 1; return c = 2; end;
startstate undefine y; undefine z; d := false; k := 0; end;
ruleset p: P do rule "y" isundefined(y) ==> begin y := p; end; end;
rule "w" !isundefined(y) & !d ==> begin d := true; for p: P do if nth(k) then z := p; end; end; k := 0; end;
invariant isundefined(z) | z != y;
