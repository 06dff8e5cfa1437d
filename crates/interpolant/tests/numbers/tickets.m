-- Customers draw tickets once and are served in the order of numbers; the bakery without its loop.
const N: 4;
type
  Customer: 1..N;
  Point: enum { Outside, Waiting, Inside, Gone };
var
  at: array [Customer] of Point;
  ticket: array [Customer] of 0..N;
  next: 1..N + 1;
startstate begin next := 1; for c: Customer do at[c] := Outside; ticket[c] := 0; end; end;
ruleset c: Customer do
  rule "draw" at[c] = Outside ==> begin ticket[c] := next; next := next + 1; at[c] := Waiting; end;
  rule "enter"
    at[c] = Waiting & forall d: Customer do d = c | ticket[d] = 0 | ticket[c] < ticket[d] end
  ==> begin at[c] := Inside; end;
  rule "leave" at[c] = Inside ==> begin ticket[c] := 0; at[c] := Gone; end;
end;
invariant "one inside" forall c: Customer do forall d: Customer do at[c] = Inside & at[d] = Inside -> c = d end end;
