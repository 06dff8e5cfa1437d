-- A value assigned is further from the least value of its variable's range than numbers go. The proof of symmetry asked
-- how far, and panicked where overflow is checked.
-- expect: violated value-out-of-range depth 1
var x: -9223372036854775807..-9223372036854775800;
startstate "at the low end" begin x := -9223372036854775807; end;
rule "to the high end" x < -9223372036854775800 ==> begin x := 9223372036854775800; end;
