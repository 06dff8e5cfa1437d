-- Whoever is there when all ends stays.
-- expect: violated liveness "Liveness 1" depth 2
-- states: 7
-- rules: 18
-- deadlock: off
type P: scalarset(3);
var x: P; stuck: boolean;
startstate undefine x; stuck := false; end;
ruleset p: P do rule "m" !stuck ==> begin x := p; end; end;
rule "s" !isundefined(x) ==> begin stuck := true; end;
ruleset p: P do liveness isundefined(x) | x != p | !stuck; end;
