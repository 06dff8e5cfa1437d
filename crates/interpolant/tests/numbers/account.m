-- Everybody withdraws as much as its number, once, if there is enough; the balance is large and never enumerated.
const N: 9; Cash: 1000000;
type
  Client: 1..N;
var
  balance: 0..Cash;
  done: array [Client] of boolean;
startstate begin balance := Cash; for c: Client do done[c] := false; end; end;
ruleset c: Client do
  rule "withdraw" !done[c] ==> begin balance := balance - c; done[c] := true; end;
  rule "decline" !done[c] ==> begin done[c] := true; end;
end;
invariant "enough is left" balance >= Cash - N * (N + 1) / 2;
