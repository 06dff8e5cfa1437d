-- Every process adds its number to a sum, once. Which processes are done already cannot be told from the sum, and the
-- sum tells processes apart; but all that matters for the bound is what is still to come.
-- From: D.-H. Chu, J. Jaffar, "A complete method for symmetry reduction in safety verification" (CAV 2012).
-- expect: holds
-- deadlock: off

const
  N: 10;

type
  Process: 1..N;

var
  sum: 0..N * (N + 1) / 2;
  done: array [Process] of boolean;

startstate begin
  sum := 0;
  for p: Process do done[p] := false; end;
end;

ruleset p: Process do
  rule "add" !done[p] ==>
  begin
    sum := sum + p;
    done[p] := true;
  end;
end;

invariant "bounded" sum <= N * (N + 1) / 2;
