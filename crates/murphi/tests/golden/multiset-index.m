type V: 0..1;
var net: multiset[2] of V; x: 0..1;
startstate undefine net; x := 0; end;
rule net[0] = 1 ==> multisetremove(x, net); end;
