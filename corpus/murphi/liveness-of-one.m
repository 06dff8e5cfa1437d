-- One member, once it owns, keeps the others from owning.
-- expect: violated liveness "mine" depth 1
-- states: 4
-- rules: 9
-- deadlock: off
type P: scalarset(3);
var owner: P;
startstate begin undefine owner; end;
ruleset p: P do rule "t" isundefined(owner) | owner != 2 ==> begin owner := p; end; end;
ruleset p: P do liveness "mine" !isundefined(owner) & owner = p; end;
