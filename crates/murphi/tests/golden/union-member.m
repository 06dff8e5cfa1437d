type P: scalarset(2);
     A: union {P, 0..3};
     B: union {P, P};
     C: union {P};
var b: boolean;
startstate b := true; end;
rule begin b := !b; end;
