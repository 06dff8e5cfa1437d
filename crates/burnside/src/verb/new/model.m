-- Clients share one resource that a server hands out: a model to begin with.
--
-- The lines below say what `burnside test` expects; `burnside test --bless` writes them anew when the model changes.
-- expect: holds
-- states: 20
-- with: -D Clients=6 => holds

const
  Clients: 3;                   -- `-D Clients=5` gives another value

type
  Client: scalarset(Clients);   -- a set whose members are interchangeable
  Phase: enum { Idle, Waiting, Using };

var
  phase: array [Client] of Phase;
  free: boolean;

startstate "all idle"
begin
  for c: Client do
    phase[c] := Idle;
  end;
  free := true;
end;

-- A rule may fire in any state in which its guard is true; `ruleset` makes one rule for each client.
ruleset c: Client do
  rule "ask" phase[c] = Idle ==>
  begin
    phase[c] := Waiting;
  end;

  rule "get" phase[c] = Waiting & free ==>
  begin
    free := false;
    phase[c] := Using;
  end;

  rule "give back" phase[c] = Using ==>
  begin
    free := true;
    phase[c] := Idle;
  end;
end;

-- True in every reachable state.
invariant "one at a time"
  forall c: Client; d: Client do phase[c] = Using & phase[d] = Using -> c = d end;

-- True in some reachable state.
cover "all wait"
  forall c: Client do phase[c] = Waiting end;

-- Within reach again from every reachable state.
liveness "rest"
  forall c: Client do phase[c] = Idle end;
