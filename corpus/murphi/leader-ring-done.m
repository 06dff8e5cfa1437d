-- The same election may end: then a leader is known.
-- expect: holds
-- deadlock: off
-- states: 15
-- rules: 20
-- agrees: rumur 2022.08.20

const N: 3;
type Place: 0..N - 1;
var seen: array [Place] of Place;
    fresh: array [Place] of boolean;

ruleset p: Place do
  alias left: (p + N - 1) % N do
    rule "listen" fresh[left] & seen[left] > seen[p] ==> begin seen[p] := seen[left]; fresh[p] := true; end;
    rule "settle" fresh[p] & fresh[(p + 1) % N] & seen[(p + 1) % N] >= seen[p] ==> begin fresh[p] := false; end;
  end;
end;

startstate begin
  for p: Place do seen[p] := p; fresh[p] := true; end;
end;

invariant "no invention" forall p: Place do seen[p] >= p end;
cover "all agree" forall p: Place do seen[p] = N - 1 end;
