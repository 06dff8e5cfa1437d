-- A position in a multiset is passed to a function.
-- expect: violated invariant "unflagged" depth 2
-- deadlock: off
type P: scalarset(2);
var m: multiset[2] of P; flag, taken: array[P] of boolean;
startstate begin
  undefine m;
  for p: P do multisetadd(p, m); flag[p] := false; taken[p] := false; end;
end;
ruleset p: P do
  rule "flag" forall q: P do !flag[q] end ==> begin flag[p] := true; end;
end;
function is_last(at: 0..1): boolean; begin return at = 1; end;
choose e: m do
  rule "take" exists q: P do flag[q] end & is_last(e) ==> begin taken[m[e]] := true; end;
end;
invariant "unflagged" forall p: P do taken[p] -> !flag[p] end;
