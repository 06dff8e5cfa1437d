-- Members of two sets share an array: who holds what is told by either.
-- expect: holds
-- states: 5
-- rules: 8
-- deadlock: off
type P: scalarset(2); Q: scalarset(2); U: union {P, Q};
var owner: U; a: array [U] of boolean;
startstate begin undefine owner; for u: U do a[u] := false; end; end;
ruleset u: U do rule "take" isundefined(owner) ==> begin owner := u; a[u] := true; end; end;
rule "drop" !isundefined(owner) ==> begin a[owner] := false; undefine owner; end;
invariant forall u: U do a[u] -> (!isundefined(owner) & owner = u) end;
invariant forall p: P do forall q: Q do !(a[p] & a[q]) end end;
