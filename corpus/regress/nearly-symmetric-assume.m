-- What an assumption excludes is excluded under annotations too: without it the sum would be reached.
-- expect: holds
-- states: 23
-- rules: 57
-- deadlock: off
type P: 0..2;
var a: array [P] of 0..2;
startstate begin for p: P do a[p] := 0; end; end;
ruleset p: P do
  rule "up" a[p] < 2 ==> begin a[p] := a[p] + 1; end;
end;
rule "first" a[0] = 2 ==> begin a[0] := 0; end;
assume "low" a[0] + a[1] + a[2] < 5;
invariant "never full" a[0] + a[1] + a[2] < 5;
