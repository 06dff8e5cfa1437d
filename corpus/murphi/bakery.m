-- The bakery algorithm with tickets of bounded size: nobody takes a ticket when there are none left.
-- expect: holds
-- states: 115
-- rules: 201
-- agrees: rumur 2022.08.20

const N: 3; Tickets: 5;
type Process: 1..N;
     Ticket: 0..Tickets;
var ticket: array [Process] of Ticket;
    inside: array [Process] of boolean;

function highest(): Ticket;
var best: Ticket;
begin
  best := 0;
  for p: Process do if ticket[p] > best then best := ticket[p]; end; end;
  return best;
end;

function first(p: Process): boolean;
begin
  return forall q: Process do
    q = p | ticket[q] = 0 | ticket[p] < ticket[q] | (ticket[p] = ticket[q] & p < q)
  end;
end;

ruleset p: Process do
  rule "take" ticket[p] = 0 & highest() < Tickets ==> begin ticket[p] := highest() + 1; end;
  rule "enter" ticket[p] != 0 & !inside[p] & first(p) ==> begin inside[p] := true; end;
  rule "leave" inside[p] ==> begin inside[p] := false; ticket[p] := 0; end;
end;

startstate
begin
  for p: Process do ticket[p] := 0; inside[p] := false; end;
end;

invariant "mutex" forall p: Process do forall q: Process do inside[p] & inside[q] -> p = q end end;
