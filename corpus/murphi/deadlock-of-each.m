-- A step to the state itself is none.
-- expect: violated deadlock depth 0
type P: scalarset(2);
var x: P;
startstate begin for p: P do x := p; end; end;
ruleset p: P do rule "stay" x = p ==> begin x := p; end; end;
