-- Dekker's algorithm, one variable access a step.
-- expect: holds
-- states: 62
-- rules: 114
-- agrees: rumur 2022.08.20

type Process: 0..1;
     Line: enum {Idle, Check, YieldTurn, Await, Retry, Critical, PassTurn};
var line: array [Process] of Line;
    wants: array [Process] of boolean;
    turn: Process;

ruleset p: Process do
  alias other: 1 - p; at: line[p] do
    rule "want" at = Idle ==> begin wants[p] := true; at := Check; end;
    rule "alone" at = Check & !wants[other] ==> begin at := Critical; end;
    rule "contested" at = Check & wants[other] ==> begin
      if turn = p then at := Check; else at := YieldTurn; end;
    end;
    rule "yield" at = YieldTurn ==> begin wants[p] := false; at := Await; end;
    rule "turn came" at = Await & turn = p ==> begin at := Retry; end;
    rule "want again" at = Retry ==> begin wants[p] := true; at := Check; end;
    rule "leave" at = Critical ==> begin turn := other; at := PassTurn; end;
    rule "rest" at = PassTurn ==> begin wants[p] := false; at := Idle; end;
  end;
end;

startstate
begin
  for p: Process do line[p] := Idle; wants[p] := false; end;
  turn := 0;
end;

invariant "mutex" !(line[0] = Critical & line[1] = Critical);
liveness "the first can enter" line[0] = Critical;
