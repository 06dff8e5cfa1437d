-- A token goes round; only who has it may work.
-- expect: holds
-- states: 10
-- rules: 15
-- agrees: rumur 2022.08.20

const N: 5;
type Place: 0..N - 1;
var token: Place;
    working: array [Place] of boolean;

ruleset p: Place do
  rule "work" token = p & !working[p] ==> begin working[p] := true; end;
  rule "done" working[p] ==> begin working[p] := false; end;
  rule "pass" token = p & !working[p] ==> begin token := (p + 1) % N; end;
end;

startstate begin token := 0; clear working; end;

invariant "one works" forall p: Place do working[p] -> token = p end;
liveness "everybody gets the token" token = N - 1;
