-- A guard of low priority that faults once nothing of higher priority is enabled, and not before.
-- expect: violated division-by-zero depth 5
-- deadlock: off
type N: scalarset(2); var x: array [N] of 0..2; b: boolean;
startstate begin for n: N do x[n] := 0; end; b := false; end;
ruleset n: N do
  rule 1 "hi" x[n] < 2 ==> begin x[n] := x[n] + 1; end;
  rule 5 "lo" 2 / (2 - x[n]) > 0 & b ==> begin x[n] := 0; end;
end;
rule 3 "mid" !b & (forall n: N do x[n] = 2 end) ==> begin b := true; end;
