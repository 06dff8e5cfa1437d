-- Members that always do the same: every orbit has one state, and no reduction pays.
const
  N: 4;
  Rounds: 5000;

type
  Member: scalarset(N);

var
  awake: array [Member] of boolean;
  round: 0..Rounds;

startstate begin
  for m: Member do awake[m] := false; end;
  round := 0;
end;

rule "turn over" round < Rounds ==> begin
  for m: Member do awake[m] := !awake[m]; end;
  round := round + 1;
end;

rule "stay" round = Rounds ==> begin
  round := 0;
end;

invariant "together" forall a: Member do forall b: Member do awake[a] = awake[b] end end;
