-- Readers and writers who come in once. (Chu and Jaffar, CAV 2012, table 2.)
const
  Readers: 2;
  Writers: 1;

type
  Process: 1..Readers + Writers;
  Point: enum { Away, Trying, Inside };

var
  at: array [Process] of Point;

startstate begin
  for p: Process do at[p] := Away; end;
end;

ruleset p: Process do
  rule "try" at[p] = Away ==> begin at[p] := Trying; end;
  rule "enter alone" at[p] = Trying & forall q: Process do at[q] != Inside end ==> begin at[p] := Inside; end;
  rule "join readers"
    at[p] = Trying & forall q: Process do at[q] = Inside -> q <= Readers end & p <= Readers
  ==> begin at[p] := Inside; end;
end;

invariant "writers are alone"
  forall p: Process do forall q: Process do
    p != q & at[p] = Inside & at[q] = Inside -> p <= Readers & q <= Readers
  end end;
