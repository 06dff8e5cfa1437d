type V: 0..1;
     A: multiset[0] of V;
     B: multiset[2] of multiset[2] of V;
var b: boolean;
startstate b := true; end;
rule begin b := !b; end;
