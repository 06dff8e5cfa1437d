type S: scalarset(3);
var s: S; t: array[S] of boolean;
startstate s := 0; t[1] := true; end;
rule begin undefine s; end;
