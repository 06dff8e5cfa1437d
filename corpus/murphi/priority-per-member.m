-- A member that is in the middle goes first.
-- expect: violated invariant "Invariant 2" depth 6
-- deadlock: off
type P: scalarset(3);
var a: array [P] of 0..2;
startstate begin for p: P do a[p] := 0; end; end;
ruleset p: P do rule 1 "hi" a[p] = 1 ==> begin a[p] := 2; end; end;
ruleset p: P do rule 2 "lo" a[p] = 0 ==> begin a[p] := 1; end; end;
invariant !(exists p: P do exists q: P do p != q & a[p] = 1 & a[q] = 1 end end);
invariant !(forall p: P do a[p] = 2 end);
