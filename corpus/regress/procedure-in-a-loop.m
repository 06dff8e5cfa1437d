-- A procedure that writes what a loop reads tells its rounds apart.
-- expect: violated invariant "unflagged" depth 2
-- deadlock: off
type P: scalarset(2);
var flag, taken: array[P] of boolean; n: 0..2; b: array [0..2] of boolean; m: multiset[4] of P;
startstate begin
  n := 0; undefine m; for i: 0..2 do b[i] := i = 1; end;
  for p: P do flag[p] := false; taken[p] := false; end;
end;
ruleset p: P do
  rule "flag" forall q: P do !flag[q] end ==> begin flag[p] := true; end;
end;
procedure count(); begin n := n + 1; end;
rule "run" n = 0 & exists q: P do flag[q] end ==> begin
  for p: P do count(); if n = 1 then taken[p] := true; end; end;
end;
invariant "unflagged" forall p: P do taken[p] -> !flag[p] end;
