-- A reference to an element of an array over which the procedure loops and returns early.
-- expect: holds
-- states: 54
-- rules: 162
-- deadlock: off

type N: scalarset(3);
var a: array[N] of 0..2; k: 0..6;
procedure bump(var x: 0..2; n: N); begin for o: N do if o != n & a[o] < x then a[o] := a[o] + 1; return; end; end; x := 0; end;
startstate begin for n: N do a[n] := 0; end; k := 0; end;
ruleset n: N do rule "u" a[n] < 2 ==> begin a[n] := a[n] + 1; end; rule "b" a[n] = 2 ==> begin bump(a[n], n); k := 0; for o: N do k := k + a[o]; end; end; end;
