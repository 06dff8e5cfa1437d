-- One number is an index of two arrays, of which only the outer one has all of its values; a function stops before.
-- expect: holds
-- states: 13
-- rules: 24
-- deadlock: off

type N: scalarset(2);
var a: array[0..3] of array[0..1] of boolean; b: array[N] of boolean; k: array[N] of 0..3; go: boolean;
function any(): boolean; begin for n: N do if b[n] then return true; end; if a[k[n]][k[n]] then return true; end; end; return false; end;
startstate begin for i := 0 to 3 do a[i][0] := false; a[i][1] := false; end; for n: N do b[n] := false; k[n] := 0; end; go := false; end;
ruleset n: N do rule "mark" !b[n] & !go ==> begin b[n] := true; end;
rule "far" b[n] & k[n] < 2 & (exists o: N do o != n & b[o] end) ==> begin k[n] := 2; end; end;
rule "look" exists n: N do b[n] end ==> begin go := any(); end;
invariant "t" forall n: N do k[n] < 3 end;
