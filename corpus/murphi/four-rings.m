-- Four rings that turn by themselves: more rotations together than are listed.
-- expect: holds
-- states: 1296
-- rules: 8640
-- deadlock: off

type R1: ringset(5); R2: ringset(5); R3: ringset(5); R4: ringset(5);
var o1: R1; o2: R2; o3: R3; o4: R4;
startstate begin undefine o1; undefine o2; undefine o3; undefine o4; end;
ruleset n: R1 do rule "take 1" isundefined(o1) ==> begin o1 := n; end; rule "leave 1" !isundefined(o1) & o1 = prev(n) ==> begin undefine o1; end; end;
ruleset n: R2 do rule "take 2" isundefined(o2) ==> begin o2 := n; end; rule "leave 2" !isundefined(o2) & o2 = prev(n) ==> begin undefine o2; end; end;
ruleset n: R3 do rule "take 3" isundefined(o3) ==> begin o3 := n; end; rule "leave 3" !isundefined(o3) & o3 = prev(n) ==> begin undefine o3; end; end;
ruleset n: R4 do rule "take 4" isundefined(o4) ==> begin o4 := n; end; rule "leave 4" !isundefined(o4) & o4 = prev(n) ==> begin undefine o4; end; end;
