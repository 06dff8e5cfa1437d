const N: 3;
var x: 0..3;
startstate x[0] := 0; end;
rule begin x := N[1]; end;
