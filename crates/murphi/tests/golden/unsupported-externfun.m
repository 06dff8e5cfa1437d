externfun dist(x: 0..3; y: 0..3): 0..3 "dist.h";
var x: 0..3;
startstate x := 1; end;
rule begin x := dist(x, 3); end;
