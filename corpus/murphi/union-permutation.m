-- An array over a union of two sets stays a permutation of it.
-- expect: holds
-- states: 24
-- rules: 288
-- deadlock: off
type P: scalarset(2); Q: scalarset(2); U: union {P, Q};
var f: array [U] of U;
startstate begin for u: U do f[u] := u; end; end;
ruleset u: U; v: U do rule "swap" u != v ==> var t: U; begin t := f[u]; f[u] := f[v]; f[v] := t; end; end;
invariant forall u: U do exists v: U do f[v] = u end end;
invariant forall u: U do forall v: U do f[u] = f[v] -> u = v end end;
