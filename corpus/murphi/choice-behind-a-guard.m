-- A choice in a guard divides by what may be zero, behind a conjunct that decides.
-- expect: holds
-- states: 7
-- rules: 11
-- deadlock: off

type N: scalarset(2);
var b: array[N] of boolean; x: 0..3;
startstate begin for n: N do b[n] := false; end; x := 3; end;
rule "down" x > 0 ==> begin x := x - 1; end;
ruleset n: N do rule "mark" x = 0 & !b[n] ==> begin b[n] := true; end;
rule "choose" b[n] & (x = 0 ? true : 4 / (x - 1) > 0) ==> begin b[n] := false; end; end;
