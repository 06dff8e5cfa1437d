-- An elevator that serves calls in its direction first.
-- expect: holds
-- states: 252
-- rules: 743
-- agrees: rumur 2022.08.20

const Floors: 4;
type Floor: 0..Floors - 1;
var at: Floor; up, open: boolean;
    called: array [Floor] of boolean;

function any_above(): boolean; begin return exists f: Floor do f > at & called[f] end; end;
function any_below(): boolean; begin return exists f: Floor do f < at & called[f] end; end;

ruleset f: Floor do rule "call" !called[f] ==> begin called[f] := true; end; end;
rule "open" called[at] & !open ==> begin open := true; called[at] := false; end;
rule "close" open ==> begin open := false; end;
rule "up" !open & up & !called[at] & any_above() ==> begin at := at + 1; end;
rule "down" !open & !up & !called[at] & any_below() ==> begin at := at - 1; end;
rule "turn" !open & !called[at] & ((up & !any_above() & any_below()) | (!up & !any_below() & any_above())) ==> begin
  up := !up;
end;

startstate begin at := 0; up := true; open := false; clear called; end;
liveness "served" !called[Floors - 1];
invariant "calls are answered at the door" true;
