const N: 2; Half: N / (N - 2);
var x: 0..3;
startstate x := Half; end;
rule begin x := x % 0; end;
