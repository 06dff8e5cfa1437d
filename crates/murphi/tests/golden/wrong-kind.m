type T: 0..3; M: multiset[2] of T;
var x: T; net: M;
function f(): T; begin return 1; end;
startstate x := T; undefine net; end;
rule begin x := f; x := x(1); end;
rule exists i: net do net[i] = x end ==> x := 0; end;
