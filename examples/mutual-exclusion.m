-- Processes that try for one semaphore, and what can be said about their executions.
--
-- Somebody who tries is followed by somebody in the critical section, but not everybody who tries gets there: the others
-- may overtake for ever. `burnside check --property served --fairness strong` leaves such executions out, and it holds;
-- `--fairness weak` does not help, because whoever waits is not enabled all the time.
-- expect: violated ltl "served"
-- states: 20
-- rules: 48

const
  N: 3;

type
  Proc: scalarset(N);
  Local: enum { Idle, Trying, Critical };

var
  taken: boolean;
  loc: array [Proc] of Local;

startstate
begin
  taken := false;
  for p: Proc do loc[p] := Idle; end;
end;

ruleset p: Proc do
  rule "try" loc[p] = Idle ==> begin loc[p] := Trying; end;
  rule "enter" loc[p] = Trying & !taken ==> begin loc[p] := Critical; taken := true; end;
  rule "leave" loc[p] = Critical ==> begin loc[p] := Idle; taken := false; end;
end;

invariant "alone" forall p: Proc; q: Proc do loc[p] = Critical & loc[q] = Critical -> p = q end;

-- Each process by itself.
ruleset p: Proc do
  ltl "served" [] (loc[p] = Trying -> <> loc[p] = Critical);
end;

-- All together.
ltl "progress" [] (exists p: Proc do loc[p] = Trying end -> <> exists p: Proc do loc[p] = Critical end);

-- In every execution there is somebody who is in again and again, not the same one in each.
ltl "somebody again and again" exists p: Proc do [] <> loc[p] = Critical end;
