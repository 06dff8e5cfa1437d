-- Every graph of five vertices: 34 up to renaming, some of which no colour takes apart.
-- expect: holds
-- states: 1024
-- rules: 10240
-- deadlock: off
type P: scalarset(5);
var e: array [P] of array [P] of boolean;
startstate begin for p: P do for q: P do e[p][q] := false; end; end; end;
ruleset p: P; q: P do
  rule "join" p != q & !e[p][q] ==> begin e[p][q] := true; e[q][p] := true; end;
end;
invariant "both ways" forall p: P do !e[p][p] & forall q: P do e[p][q] = e[q][p] end end;
