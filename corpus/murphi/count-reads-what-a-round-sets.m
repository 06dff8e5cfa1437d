-- A condition on elements reads what another round of the loop sets.
-- expect: holds
-- states: 8
-- rules: 12
-- deadlock: off

type N: scalarset(2); R: record k: N; v: 0..2; end;
var a: array[N] of boolean; b: array[N] of boolean; x: 0..2; go: boolean; m: multiset[2] of 0..2; c: 0..2;
startstate begin for n: N do a[n] := false; b[n] := false; end; x := 0; go := false; undefine m; c := 1; multisetadd(c, m); end;
ruleset n: N do rule "mark" !a[n] & !go ==> begin a[n] := true; end; end;
rule "round" !go ==> begin for n: N do if a[n] then b[n] := multisetcount(i: m, m[i] = x) = 1; else x := 1; end; end; go := true; end;
rule "again" go ==> begin x := 0; go := false; for n: N do a[n] := false; b[n] := false; end; end;
invariant "t" x < 2;
