-- Elements that are members of a union.
-- expect: holds
-- states: 32
-- rules: 96
-- deadlock: off
type P: scalarset(2); U: union {P, enum {H}}; B: multiset [3] of U;
var b: B; x: U;
startstate begin undefine b; undefine x; end;
ruleset u: U do rule "add" multisetcount(i: b, b[i] = u) = 0 ==> begin multisetadd(u, b); end; end;
choose i: b do rule "take" true ==> begin x := b[i]; multisetremove(i, b); end; end;
invariant multisetcount(i: b, ismember(b[i], P)) <= 2;
invariant multisetcount(i: b, b[i] = H) <= 1;
