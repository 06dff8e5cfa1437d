-- The value of an alias around an assumption faults in states that the assumption excludes before.
-- expect: holds
-- states: 1
-- rules: 2
-- deadlock: off
type N: scalarset(2); var x: array [N] of 0..2; y: 0..2;
startstate begin for n: N do x[n] := 0; end; y := 0; end;
ruleset n: N do rule "inc" x[n] < 2 ==> begin x[n] := x[n] + 1; end; end;
ruleset n: N do alias q: 4 / (2 - x[n]) do assume "c" q < 4; end; end;
invariant y = 0;
