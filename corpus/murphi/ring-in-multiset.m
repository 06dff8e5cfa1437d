-- Members of a ring in a multiset move on to free neighbours.
-- expect: holds
-- states: 8
-- rules: 18
-- deadlock: off
type N: ringset(3); B: multiset [3] of N;
var b: B;
startstate begin undefine b; end;
ruleset n: N do rule "add" multisetcount(i: b, b[i] = n) = 0 ==> begin multisetadd(n, b); end; end;
choose i: b do rule "pass" multisetcount(j: b, b[j] = next(b[i])) = 0 ==> begin b[i] := next(b[i]); end; end;
invariant forall n: N do multisetcount(i: b, b[i] = n) <= 1 end;
