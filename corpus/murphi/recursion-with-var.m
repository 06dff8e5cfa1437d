-- A procedure calls itself with its `var` parameters exchanged, which may be the same.
-- expect: violated invariant "Invariant 1" depth 2
-- deadlock: off
type P: scalarset(2);
var a: 0..9; b: 0..9;
procedure step(k: 0..9; var x: 0..9; var y: 0..9); begin if k > 0 then x := x + 1; step(k - 1, y, x); end; end;
startstate begin a := 0; b := 0; end;
rule "same" a = 0 ==> begin step(3, a, a); end;
rule "diff" a = 3 ==> begin step(3, a, b); end;
invariant a != 5 | b != 1;
