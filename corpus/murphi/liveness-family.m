-- One liveness property for each member of a ruleset.
-- expect: holds
-- states: 8
-- rules: 24
-- agrees: rumur 2022.08.20

type Lamp: 0..2;
var on: array [Lamp] of boolean;
startstate begin clear on; end;
ruleset l: Lamp do
  rule "switch" begin on[l] := !on[l]; end;
  liveness "can be lit" on[l];
end;
