-- Of all who ask, the one with the least number is served; everybody asks once.
const N: 8;
type
  Client: 1..N;
  Point: enum { Idle, Asking, Served };
var at: array [Client] of Point;
  n_served: 0..N;
startstate begin n_served := 0; for c: Client do at[c] := Idle; end; end;
ruleset c: Client do
  rule "ask" at[c] = Idle ==> begin at[c] := Asking; end;
  rule "serve" at[c] = Asking & forall d: Client do at[d] = Asking -> c <= d end
  ==> begin at[c] := Served; n_served := n_served + 1; end;
end;
invariant "no more than there are" n_served <= N;
