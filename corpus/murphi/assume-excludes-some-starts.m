-- An assumption about one member excludes some start states and some steps.
-- expect: holds
-- states: 6
-- rules: 12
-- deadlock: off
type N: scalarset(3); var x: array [N] of 0..1; y: N;
ruleset n: N do startstate begin for k: N do x[k] := 0; end; y := n; end; end;
ruleset n: N do rule "g" x[n] = 0 ==> begin x[n] := 1; y := n; end; end;
assume y != 2;
invariant !(x[2] = 1);
cover forall n: N do n = 2 | x[n] = 1 end;
