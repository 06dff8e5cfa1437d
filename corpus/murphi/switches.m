-- Switches with several labels, without `else`, and on enumerations and numbers.
-- expect: holds
-- states: 13
-- rules: 13
-- agrees: rumur 2022.08.20

type Light: enum {Red, RedAmber, Green, Amber};
var light: Light; ticks: 0..3;

function duration(l: Light): 0..3;
begin
  switch l
    case Red, Green: return 3;
    case Amber: return 2;
    else return 1;
  end;
end;

rule "tick" ticks > 0 ==> begin ticks := ticks - 1; end;
rule "change" ticks = 0 ==> begin
  switch light
    case Red: light := RedAmber;
    case RedAmber: light := Green;
    case Green: light := Amber;
    case Amber: light := Red;
  end;
  switch duration(light)
    case 3: ticks := 3;
    case 1, 2: ticks := duration(light);
  end;
end;

startstate begin light := Red; ticks := 3; end;
invariant "short" light = RedAmber -> ticks <= 1;
