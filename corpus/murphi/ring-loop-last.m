-- The last round of a loop over a ring is one member of it.
-- expect: violated invariant "Invariant 1" depth 2
-- deadlock: off
type N: ringset(4);
var last: N; pick: N;
startstate begin undefine last; undefine pick; end;
ruleset n: N do rule "pick" isundefined(pick) ==> begin pick := n; end; end;
rule "loop" !isundefined(pick) & isundefined(last) ==> begin for n: N do last := n; end; end;
invariant isundefined(last) | last != pick;
