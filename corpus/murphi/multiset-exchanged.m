-- Whole multisets change places.
-- expect: holds
-- states: 36
-- rules: 252
-- deadlock: off
type P: scalarset(2); B: multiset [2] of P;
var a: array [P] of B; t: B;
startstate begin undefine a; undefine t; end;
ruleset p: P; q: P do rule "add" multisetcount(i: a[p], true) < 2 ==> begin multisetadd(q, a[p]); end; end;
ruleset p: P; q: P do rule "copy" true ==> begin t := a[p]; a[p] := a[q]; a[q] := t; undefine t; end; end;
rule "all" true ==> begin for p: P do undefine a[p]; end; end;
invariant multisetcount(i: t, true) = 0;
