-- As tickets, but reading the next number and writing one's own are two steps; ties are broken by identity.
const N: 3;
type
  Customer: 1..N;
  Point: enum { Outside, Choosing, Waiting, Inside, Gone };
var
  at: array [Customer] of Point;
  ticket: array [Customer] of 0..N;
  chosen: array [Customer] of 0..N;
function most(): 0..N;
var m: 0..N;
begin
  m := 0;
  for c: Customer do if ticket[c] > m then m := ticket[c]; end; end;
  return m;
end;
startstate begin for c: Customer do at[c] := Outside; ticket[c] := 0; chosen[c] := 0; end; end;
ruleset c: Customer do
  rule "read" at[c] = Outside & most() < N ==> begin chosen[c] := most() + 1; at[c] := Choosing; end;
  rule "write" at[c] = Choosing ==> begin ticket[c] := chosen[c]; at[c] := Waiting; end;
  rule "enter"
    at[c] = Waiting & forall d: Customer do
      d = c | at[d] != Choosing & (ticket[d] = 0 | ticket[c] < ticket[d] | ticket[c] = ticket[d] & c < d)
    end
  ==> begin at[c] := Inside; end;
  rule "leave" at[c] = Inside ==> begin ticket[c] := 0; at[c] := Gone; end;
end;
invariant "one inside" forall c: Customer do forall d: Customer do at[c] = Inside & at[d] = Inside -> c = d end end;
