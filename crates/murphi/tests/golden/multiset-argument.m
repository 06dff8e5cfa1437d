type V: 0..1;
var net: multiset[2] of V; v: V;
startstate undefine net; v := 0; end;
rule begin multisetadd(1, net); multisetadd(v, v); multisetadd(net); end;
rule multisetcount(i: v, true) = 0 ==> v := 1; end;
