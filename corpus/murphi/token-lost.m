-- A token in flight may be lost, and then nobody moves again.
-- expect: violated deadlock depth 4
-- agrees: rumur 2022.08.20

type Place: 0..2;
var token: Place;
    flying: boolean;
    target: Place;

ruleset p: Place do
  rule "send" !isundefined(token) & token = p ==> begin target := (p + 1) % 3; flying := true; undefine token; end;
  rule "arrive" flying & target = p ==> begin token := p; flying := false; undefine target; end;
  rule "lose" flying & target = p & p = 2 ==> begin flying := false; undefine target; end;
end;

startstate begin token := 0; flying := false; end;
