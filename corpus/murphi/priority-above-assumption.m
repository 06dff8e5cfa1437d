-- A rule whose step is cut off still keeps rules of lower priority from firing.
-- expect: holds
-- states: 1
-- rules: 2
-- deadlock: off
type P: scalarset(2);
var a: array [P] of boolean; b: boolean;
startstate begin for p: P do a[p] := false; end; b := false; end;
ruleset p: P do rule 1 "hi" !a[p] ==> begin assume b; a[p] := true; end; end;
rule 5 "lo" true ==> begin b := true; end;
invariant !b;
