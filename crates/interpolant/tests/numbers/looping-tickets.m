-- Tickets with customers who come back: one strongly connected component, so that explanations come too late.
const N: 3; Most: 6;
type
  Customer: 1..N;
  Point: enum { Outside, Waiting, Inside };
var
  at: array [Customer] of Point;
  ticket: array [Customer] of 0..Most;
function most(): 0..Most;
var m: 0..Most;
begin
  m := 0;
  for c: Customer do if ticket[c] > m then m := ticket[c]; end; end;
  return m;
end;
startstate begin for c: Customer do at[c] := Outside; ticket[c] := 0; end; end;
ruleset c: Customer do
  rule "draw" at[c] = Outside & most() < Most ==> begin ticket[c] := most() + 1; at[c] := Waiting; end;
  rule "enter"
    at[c] = Waiting & forall d: Customer do d = c | ticket[d] = 0 | ticket[c] < ticket[d] end
  ==> begin at[c] := Inside; end;
  rule "leave" at[c] = Inside ==> begin ticket[c] := 0; at[c] := Outside; end;
end;
invariant "one inside" forall c: Customer do forall d: Customer do at[c] = Inside & at[d] = Inside -> c = d end end;
