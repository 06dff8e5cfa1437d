-- A step to an image of the state is progress.
-- expect: holds
-- states: 2
-- rules: 2
type P: scalarset(2);
var x: P;
startstate begin for p: P do x := p; end; end;
ruleset p: P do rule "move" x != p ==> begin x := p; end; end;
