-- The last round of a loop over a union is the last of its constants, whatever the set's members are.
-- expect: violated invariant "Invariant 2" depth 1
-- deadlock: off
type P: scalarset(3); U: union {P, enum {H}};
var last: U;
startstate begin undefine last; end;
rule "loop" true ==> begin for u: U do last := u; end; end;
invariant isundefined(last) | last = H;
invariant isundefined(last) | last != H;
