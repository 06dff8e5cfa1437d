-- The first of the greatest wins.
-- expect: violated invariant "Invariant 1" depth 4
-- deadlock: off
type P: scalarset(3);
var v: array [P] of 0..1; z: P; y: P; d: boolean;
startstate for p: P do v[p] := 0; end; undefine y; undefine z; d := false; end;
ruleset p: P do rule "y" isundefined(y) ==> begin y := p; end; end;
ruleset p: P do rule "v" v[p] = 0 & !d ==> begin v[p] := 1; end; end;
rule "max" !isundefined(y) & !d ==> var m: 0..1; begin d := true; m := 0; for p: P do if v[p] > m then m := v[p]; z := p; end; end; end;
invariant isundefined(z) | z != y | !exists p: P do p != y & v[p] = 1 end;
