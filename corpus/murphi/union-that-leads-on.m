-- An array over a union whose values lead through itself.
-- expect: holds
-- states: 98
-- rules: 202
-- deadlock: off

type N: scalarset(3);
type H: scalarset(2); U: union{N,H}; var o: array[H] of U; q: array[U] of array[H] of boolean;
startstate begin undefine o; for u: U do for h: H do q[u][h] := false; end; end; end;
ruleset h: H; u: U do rule "t" isundefined(o[h]) & !q[u][h] ==> begin o[h] := u; q[u][h] := true; end; end;
ruleset h: H do rule "r" !isundefined(o[h]) & q[o[h]][h] ==> begin q[o[h]][h] := false; if ismember(o[h], H) & !isundefined(o[o[h]]) then o[h] := o[o[h]]; else undefine o[h]; end; end; end;
