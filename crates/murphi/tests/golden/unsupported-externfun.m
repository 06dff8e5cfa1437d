externfun sqr(x: 0..3): 0..9 "sqr.h";
var x: 0..9;
startstate x := 1; end;
rule begin x := sqr(x); end;
