const N: 0;
type S: scalarset(N);
var b: boolean;
startstate b := true; end;
rule begin b := !b; end;
