-- Only process 1 ever enters, and only if all try. Permutations of the processes take steps to steps wherever they change a
-- state, so states may be told apart by numbers alone; but of the three states with one process inside only one is
-- reached. What names a process must not be asked of such states.
-- expect: violated ctl "another may enter"
-- states: 9
-- rules: 14

type
  Proc: scalarset(3);

var
  loc: array [Proc] of enum {Idle, Trying, Critical};

startstate for p: Proc do loc[p] := Idle; end; end;

ruleset p: Proc do
  rule "try" loc[p] = Idle & forall q: Proc do loc[q] != Critical end ==> begin loc[p] := Trying; end;
  rule "enter" p = 1 & forall q: Proc do loc[q] = Trying end ==> begin loc[p] := Critical; end;
  rule "leave" loc[p] = Critical ==> begin loc[p] := Idle; end;
end;

ltl "again and again" [] <> exists p: Proc do loc[p] = Critical end;
ctl "another may enter" EF loc[2] = Critical;
