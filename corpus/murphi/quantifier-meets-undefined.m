-- A quantifier meets what is undefined before what would decide.
-- expect: violated undefined-read depth 1
-- deadlock: off
type P: scalarset(3);
var a: array [P] of 0..1; go: boolean;
startstate begin undefine a; go := false; end;
ruleset p: P do rule "set" !go ==> begin a[p] := 1; go := true; end; end;
invariant !go | exists p: P do a[p] = 1 end;
