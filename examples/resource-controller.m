-- A controller serves the requests of many processes by priority (after Sistla and Godefroid). The rule "grant" looks at
-- priorities, so processes are not interchangeable; all other rules treat them alike. Nothing says so in the text:
-- Burnside finds out, and stores a few hundred states where there are millions. Try `-D Processes=80 -D Classes=25`.
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
