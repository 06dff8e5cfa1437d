type R: record a: 0..1; end;
var t: array[R] of boolean; b: boolean;
startstate b := true; end;
rule begin b := !b; end;
