-- Every process adds its number to a sum, once. No two processes are interchangeable, but all that matters for the bound
-- is the sum and what is still to come; `--engine interpolant` finds that out. (The model of Chu and Jaffar, *A complete
-- method for symmetry reduction in safety verification*, figure 2.)
-- expect: holds
-- states: 1024
-- rules: 5120
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
