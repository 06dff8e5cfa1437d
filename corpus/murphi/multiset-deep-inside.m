-- Multisets in arrays in records in an array.
-- expect: violated invariant "Invariant 1" depth 4
-- deadlock: off
type P: scalarset(2); B: multiset [1] of P; R: record q: array [P] of B; end;
var r: array [P] of R; moved: boolean;
startstate begin undefine r; moved := false; end;
ruleset a: P; b: P; c: P do rule "send" multisetcount(i: r[a].q[b], true) = 0 & !moved ==> begin multisetadd(c, r[a].q[b]); end; end;
ruleset a: P; b: P do choose i: r[a].q[b] do rule "move" multisetcount(j: r[b].q[a], true) = 0 ==> begin multisetadd(r[a].q[b][i], r[b].q[a]); multisetremove(i, r[a].q[b]); moved := true; end; end; end;
invariant exists a: P do exists b: P do multisetcount(i: r[a].q[b], true) = 0 end end | moved;
