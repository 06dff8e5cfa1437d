-- A range that begins at the least number there is.
-- expect: holds
-- states: 8
-- rules: 7
-- deadlock: off
var x: -9223372036854775807..-9223372036854775800;
startstate begin x := -9223372036854775800; end;
rule "dec" x > -9223372036854775807 ==> begin x := x - 1; end;
invariant x < 0;
