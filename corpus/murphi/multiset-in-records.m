-- Each member of a set has a record with a multiset of members.
-- expect: holds
-- states: 36
-- rules: 168
-- deadlock: off
type P: scalarset(2); B: multiset [2] of P; R: record b: B; n: 0..2; end;
var a: array [P] of R;
startstate begin for p: P do undefine a[p].b; a[p].n := 0; end; end;
ruleset p: P; q: P do rule "add" a[p].n < 2 ==> begin multisetadd(q, a[p].b); a[p].n := a[p].n + 1; end; end;
ruleset p: P do choose i: a[p].b do rule "take" true ==> begin multisetremove(i, a[p].b); a[p].n := a[p].n - 1; end; end; end;
invariant forall p: P do multisetcount(i: a[p].b, true) = a[p].n end;
