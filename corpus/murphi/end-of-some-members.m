-- A process takes the one place, and process 1 alone gives it back. States with one process at the place are alike up to
-- permutations, and from some of them a step leads back; but with another process there the execution ends.
-- expect: violated ltl "free again and again"
-- deadlock: off
-- states: 5
-- rules: 5

type
  Proc: scalarset(4);

var
  inside: array [Proc] of boolean;

startstate for p: Proc do inside[p] := false; end; end;

ruleset p: Proc do
  rule "take" forall q: Proc do !inside[q] end ==> begin inside[p] := true; end;
  rule "give back" p = 1 & inside[p] ==> begin inside[p] := false; end;
end;

ltl "free again and again" [] <> forall p: Proc do !inside[p] end;
