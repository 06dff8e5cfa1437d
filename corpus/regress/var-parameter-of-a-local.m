-- What a `var` parameter stands for is defined when it is a global and not when it is a fresh local.
-- expect: violated undefined-read depth 2
-- deadlock: off
var count: 0..3; steps: 0..3;
procedure bump(var c: 0..3); begin if c < 3 then c := c + 1; end; end;
startstate begin count := 0; steps := 0; end;
rule "global" steps < 3 ==> begin bump(count); steps := steps + 1; end;
rule "local" steps = 1 ==> var mine: 0..3; begin bump(mine); steps := mine; end;
