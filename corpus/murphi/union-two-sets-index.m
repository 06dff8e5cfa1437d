-- An array over the union of two sets, and a variable of the union that a loop over one of the sets sets.
-- expect: holds
-- states: 19
-- rules: 36
-- deadlock: off
type A: scalarset(2); B: scalarset(2); U: union {A, B};
var t: array [U] of boolean; u: U; c: 0..3;
startstate begin for x: U do t[x] := false; end; c := 0; end;
ruleset x: U do
  rule "set" !t[x] & c < 3 ==>
  begin t[x] := true; c := c + 1; if isundefined(u) | ismember(x, B) then u := x; end; end; end;
rule "swap" !isundefined(u) & ismember(u, A) ==> begin for b: B do if t[b] then u := b; end; end; end;
invariant "x" isundefined(u) | t[u];
liveness exists x: U do t[x] & (isundefined(u) | u = x) end;
