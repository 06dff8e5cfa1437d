-- A loop that nothing ends.
-- expect: violated loop-limit depth 4
-- loop-limit: 50

var x: 0..3;
startstate begin x := 0; end;
rule "spin" x = 3 ==> begin while x > 0 do x := 3; end; end;
rule "up" x < 3 ==> begin x := x + 1; end;
