type E: enum {};
var x: E; b: boolean;
startstate b := true; end;
rule begin b := !b; end;
