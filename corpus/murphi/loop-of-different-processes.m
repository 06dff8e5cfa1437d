-- One process goes to 1 or to 2. Process 1 may go on from 1 to 2, and process 2 from 2 to 1. Where states stand for their
-- images under permutations, these two steps form a loop; but it is one of different processes, and no execution goes round.
-- expect: holds
-- deadlock: off
-- states: 9
-- rules: 10

type
  Proc: scalarset(4);

var
  at: array [Proc] of 0..2;

startstate for p: Proc do at[p] := 0; end; end;

ruleset p: Proc do
  rule "one" forall q: Proc do at[q] = 0 end ==> begin at[p] := 1; end;
  rule "two" forall q: Proc do at[q] = 0 end ==> begin at[p] := 2; end;
  rule "up" p = 1 & at[p] = 1 ==> begin at[p] := 2; end;
  rule "down" p = 2 & at[p] = 2 ==> begin at[p] := 1; end;
end;

ltl "settles" <> [] (exists p: Proc do at[p] = 1 end) | <> [] (exists p: Proc do at[p] = 2 end);
