-- What goes on from where a process is done is excluded, so there is no execution that gets there, and a formula that every
-- such execution would violate holds. The process that is done has no step, but it has not ended either.
-- expect: holds
-- deadlock: off
-- states: 4
-- rules: 6

type
  Proc: scalarset(3);

var
  done: array [Proc] of boolean;

startstate for p: Proc do done[p] := false; end; end;

ruleset p: Proc do
  rule "begin" p <= 3 & forall q: Proc do !done[q] end ==> begin done[p] := true; end;
  rule "go on" done[p] & p != 2 ==> begin assume p = 2; end;
  rule "go on as 2" done[p] & p = 2 ==> begin assume p != 2; end;
  rule "rest" false ==> begin end;
  rule "rest more" false ==> begin end;
end;

ltl "never done" [] forall p: Proc do !done[p] end;
