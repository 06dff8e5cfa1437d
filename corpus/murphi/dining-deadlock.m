-- Everybody takes the left fork first.
-- expect: violated deadlock depth 4
-- agrees: rumur 2022.08.20

const N: 4;
type Seat: 0..N - 1;
var fork: array [Seat] of boolean;
    has: array [Seat] of 0..2;

ruleset s: Seat do
  rule "left" has[s] = 0 & fork[s] ==> begin fork[s] := false; has[s] := 1; end;
  rule "right" has[s] = 1 & fork[(s + 1) % N] ==> begin fork[(s + 1) % N] := false; has[s] := 2; end;
  rule "put down" has[s] = 2 ==> begin fork[s] := true; fork[(s + 1) % N] := true; has[s] := 0; end;
end;

startstate begin
  for s: Seat do fork[s] := true; has[s] := 0; end;
end;

invariant "neighbours do not both eat" forall s: Seat do has[s] = 2 -> has[(s + 1) % N] != 2 end;
