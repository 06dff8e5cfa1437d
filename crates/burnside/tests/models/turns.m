-- A token goes round; everything that is claimed about it is true.
const
  N: 3;
type
  seat: 0..N - 1;
var
  token: seat;
  laps: 0..2;

startstate "start"
  token := 0;
  laps := 0;
end;

rule "pass" begin
  token := (token + 1) % N;
  if token = 0 & laps < 2 then laps := laps + 1; end;
end;

rule "jump" laps > 2 ==> token := 0; end;

invariant "token at a seat" token < N;
cover "second lap" laps = 2;
liveness "the token comes home" token = 0;
