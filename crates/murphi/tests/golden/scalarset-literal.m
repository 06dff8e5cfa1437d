type S: scalarset(3);
var s: S; t: array[S] of boolean; x: 1..3;
startstate s := 3; t[1] := true; x := 1; end;
rule "follow" begin s := x; end;
rule "astray" begin s := 0; t[4] := false; end;
