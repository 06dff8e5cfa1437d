-- A loop links members in a chain.
-- expect: violated invariant "Invariant 1" depth 2
-- deadlock: off
type P: scalarset(3);
var n: array [P] of P; h: P; y: P; d: boolean;
startstate for p: P do n[p] := p; end; undefine h; undefine y; d := false; end;
ruleset p: P do rule "y" isundefined(y) ==> begin y := p; end; end;
rule "chain" !isundefined(y) & !d ==> begin d := true; for p: P do alias z: h do if isundefined(z) then z := p; else n[p] := z; z := p; end; end; end; end;
invariant isundefined(h) | h != y;
