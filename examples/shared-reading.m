-- Readers and writers as one family of processes: the last ones are writers. Any process may enter when nobody is
-- inside; a reader may also join other readers. The rule for that compares a member of a scalarset with a constant, which
-- Murphi forbids; here it costs symmetry between readers and writers only after readers have met. (The model of Wahl,
-- *Adaptive symmetry reduction*, figure 1, and of figure 8 in the survey by Wahl and Donaldson.)
-- expect: holds
-- states: 22
-- rules: 65

const
  Readers: 2;
  Writers: 1;

type
  Process: scalarset(Readers + Writers);

var
  phase: array [Process] of enum {Away, Trying, Inside};

ruleset p: Process do
  rule "try" phase[p] = Away ==>
  begin
    phase[p] := Trying;
  end;

  rule "enter alone" phase[p] = Trying & forall q: Process do phase[q] != Inside end ==>
  begin
    phase[p] := Inside;
  end;

  rule "join readers"
    phase[p] = Trying & p <= Readers & !exists q: Process do q > Readers & phase[q] = Inside end ==>
  begin
    phase[p] := Inside;
  end;

  rule "leave" phase[p] = Inside ==>
  begin
    phase[p] := Away;
  end;
end;

startstate "everybody is away"
begin
  for p: Process do phase[p] := Away; end;
end;

invariant "writers are alone"
  forall w: Process; p: Process do
    w > Readers & phase[w] = Inside & phase[p] = Inside -> p = w
  end;
