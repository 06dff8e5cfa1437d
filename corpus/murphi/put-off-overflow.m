-- One adds, the other takes away, twice: that leaves the range unless something was added before.
-- expect: violated value-out-of-range depth 2
-- with: --partial-order on => violated value-out-of-range

var x: 0..2; added: boolean; taken: 0..2;
startstate begin x := 1; added := false; taken := 0; end;
rule "add" !added ==> begin added := true; x := x + 1; end;
rule "take" taken < 2 ==> begin taken := taken + 1; x := x - 1; end;
