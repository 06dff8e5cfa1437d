-- `switch` on a member of a union that is a constant or none.
-- expect: holds
-- states: 6
-- rules: 30
-- deadlock: off
type P: scalarset(3); U: union {P, enum {Home, Away}};
var x: U; k: 0..3;
startstate begin x := Home; k := 0; end;
ruleset u: U do rule "set" true ==> begin x := u; switch u case Home: k := 1; case Away: k := 2; else k := 3; end; end; end;
invariant (k = 3) = ismember(x, P) | k = 0;
invariant k = 1 -> x = Home;
invariant k = 2 -> x = Away;
