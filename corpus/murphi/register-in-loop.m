-- A loop shifts members through two fields.
-- expect: violated invariant "Invariant 1" depth 2
-- deadlock: off
type P: scalarset(3); R: record a: P; b: P; end;
var r: R; y: P; d: boolean;
startstate undefine r; undefine y; d := false; end;
ruleset p: P do rule "y" isundefined(y) ==> begin y := p; end; end;
rule "rot" !isundefined(y) & !d ==> begin d := true; for p: P do r.a := r.b; r.b := p; end; end;
invariant isundefined(r.a) | r.a != y;
