-- The first round of a loop over a union is some member of its set: the order tells them apart.
-- expect: violated invariant "Invariant 1" depth 2
-- deadlock: off
type P: scalarset(3); U: union {P, enum {H}};
var last: U; pick: P;
startstate begin undefine last; undefine pick; end;
ruleset p: P do rule "pick" isundefined(pick) ==> begin pick := p; end; end;
rule "loop" !isundefined(pick) & isundefined(last) ==> begin for u: U do if isundefined(last) then last := u; end; end; end;
invariant isundefined(last) | last != pick;
