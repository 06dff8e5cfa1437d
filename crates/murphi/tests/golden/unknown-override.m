-- load: N=2 Size=4
const N: 3;
var x: 0..N;
startstate x := 0; end;
rule begin x := N - x; end;
