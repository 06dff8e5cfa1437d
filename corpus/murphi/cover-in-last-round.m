-- A cover point is met in the last round only.
-- expect: holds
-- states: 4
-- rules: 6
-- deadlock: off
type P: scalarset(3);
var y: P;
startstate undefine y; end;
ruleset p: P do rule "y" isundefined(y) ==> begin y := p; end; end;
rule "l" !isundefined(y) ==> var n: 0..3; begin n := 0; for p: P do n := n + 1; if p = y then cover n = 3; end; end; end;
