-- The controller of resource-controller.m, with what it promises: the resource is granted again and again as long as
-- somebody asks, and from everywhere there is a way back to nobody asking. Which of several requests is granted depends on
-- priorities, so processes are not interchangeable. But whoever it is, the same can happen to the others: states that
-- differ by a permutation of the processes have steps to states that differ by one. Burnside notices that (`burnside
-- symmetry` says so), and then stores 4 · Processes + 1 states, whatever the classes. Try `-D Processes=80 -D Classes=25`.
-- expect: holds
-- states: 316
-- rules: 528

const
  Processes: 6;
  Classes: 3;   -- of priority; class 1 is served first
  Small: 2;     -- the size of all classes but the last, which has the rest

type
  Process: scalarset(Processes);
  Class: 1..Classes;

var
  phase: array [Process] of enum {Idle, Requesting, Owner};
  resource: enum {Free, Granted, InUse, Releasing};

function class(p: Process): Class;
begin
  return (p - 1) / Small < Classes - 1 ? (p - 1) / Small + 1 : Classes;
end;

ruleset p: Process do
  rule "request" resource = Free & phase[p] = Idle ==>
  begin
    phase[p] := Requesting;
  end;

  rule "grant"
    resource = Free & phase[p] = Requesting
    & !exists q: Process do class(q) < class(p) & phase[q] = Requesting end ==>
  begin
    phase[p] := Owner;
    resource := Granted;
  end;

  rule "use" resource = Granted & phase[p] = Owner ==>
  begin
    resource := InUse;
  end;

  rule "finish" resource = InUse & phase[p] = Owner ==>
  begin
    resource := Releasing;
  end;

  rule "release" resource = Releasing & phase[p] = Owner ==>
  begin
    phase[p] := Idle;
    resource := Free;
  end;
end;

startstate "everybody is idle"
begin
  for p: Process do phase[p] := Idle; end;
  resource := Free;
end;

invariant "nobody owns a free resource"
  resource = Free -> forall p: Process do phase[p] != Owner end;

ltl "a request leads to a grant"
  [] ((exists p: Process do phase[p] = Requesting end) -> <> exists p: Process do phase[p] = Owner end);
ltl "used again and again" [] <> resource = InUse;
ctl "all may come to rest" AG EF forall p: Process do phase[p] = Idle end;
ctl "somebody who asks may be served next"
  AG (resource = Free & (exists p: Process do phase[p] = Requesting end) -> EX resource = Granted);
