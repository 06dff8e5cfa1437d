const N: 0;
type Node: 1..N;
var x: Node; b: boolean;
startstate b := true; end;
rule begin b := !b; end;
