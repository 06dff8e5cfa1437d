-- Assumptions cut a counter that has no end of its own.
-- expect: holds
-- deadlock: off
-- states: 16
-- rules: 32

var x: 0..100; y: boolean;
startstate begin x := 0; y := false; end;
rule "up" x < 100 ==> begin x := x + 1; end;
rule "flip" begin y := !y; assume x < 5 | !y; end;
assume "few" x <= 7;
invariant "below" x < 9;
