-- Symmetric states of several words, whose parts lie across their borders.
-- expect: holds
-- states: 125
-- rules: 300
-- deadlock: off
type P: scalarset(3); Wide: 0..100000000;
var a: array [P] of record x: Wide; owner: P; y: Wide; end; b: array [P] of array [P] of boolean;
startstate begin
  for p: P do a[p].x := 0; a[p].y := 5; undefine a[p].owner; for q: P do b[p][q] := false; end; end;
end;
ruleset p: P; q: P do
  rule "own" p != q & isundefined(a[p].owner) ==> begin a[p].owner := q; a[p].x := 99999999; end;
  rule "link" p != q & !isundefined(a[p].owner) & !b[p][q] & a[p].owner = q ==> begin b[p][q] := true; a[p].y := 77777777; end;
end;
invariant "both" forall p: P do a[p].y = 77777777 -> a[p].x = 99999999 & exists q: P do b[p][q] end end;
