-- A barrier that is used again and again: nobody is a round ahead of another.
-- expect: holds
-- states: 64
-- rules: 132
-- agrees: rumur 2022.08.20

const N: 4;
type Worker: scalarset(N);
     Round: 0..3;
var round: array [Worker] of Round;
    waiting: array [Worker] of boolean;
    arrived: 0..N;

ruleset w: Worker do
  rule "arrive" !waiting[w] ==> begin
    waiting[w] := true;
    arrived := arrived + 1;
  end;
end;

rule "open" arrived = N ==> begin
  arrived := 0;
  for w: Worker do waiting[w] := false; round[w] := (round[w] + 1) % 4; end;
end;

startstate begin
  for w: Worker do round[w] := 0; waiting[w] := false; end;
  arrived := 0;
end;

invariant "together" forall v: Worker do forall w: Worker do round[v] = round[w] end end;
