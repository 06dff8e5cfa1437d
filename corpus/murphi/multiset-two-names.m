-- Two names of elements may lead to one or to two.
-- expect: violated invariant "Invariant 1" depth 1
-- deadlock: off
type P: scalarset(2); B: multiset [2] of P;
var x: B; e: 0..3;
startstate begin undefine x; e := 0; for p: P do multisetadd(p, x); end; end;
choose i: x do choose j: x do rule "both" e = 0 ==> begin e := (i = j) ? 1 : 2; end; end; end;
invariant e != 2;
