-- A cover point is reached in steps of nearly symmetric rules only.
-- expect: holds
-- states: 27
-- rules: 63
-- deadlock: off
type P: 0..2;
var a: array [P] of 0..2;
startstate begin for p: P do a[p] := 0; end; end;
ruleset p: P do
  rule "up" a[p] < 2 ==> begin cover a[p] = 1; a[p] := a[p] + 1; end;
end;
rule "first" a[0] = 2 ==> begin a[0] := 0; end;
