-- A loop over a union meets members of all its types.
-- expect: violated invariant "Invariant 2" depth 1
-- deadlock: off
type P: scalarset(2); Q: scalarset(3); U: union {P, Q, enum {Home}};
var x: U; n: 0..9;
startstate begin x := Home; n := 0; end;
ruleset u: U do rule "set" true ==> begin x := u; n := 0; for v: U do if v = x & ismember(v, Q) then n := 1; end; end; end; end;
invariant n = 1 -> ismember(x, Q);
invariant !(ismember(x, Q) & n = 1);
