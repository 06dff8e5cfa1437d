-- Each member must be able to become the owner; the first one stays.
-- expect: violated liveness "mine" depth 1
-- states: 4
-- rules: 3
-- deadlock: off
type P: scalarset(3);
var owner: P;
startstate begin undefine owner; end;
ruleset p: P do rule "t" isundefined(owner) ==> begin owner := p; end; end;
ruleset p: P do liveness "mine" !isundefined(owner) & owner = p; end;
