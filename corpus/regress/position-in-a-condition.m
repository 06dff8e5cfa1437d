-- A position in a multiset is seen by a condition inside a rule.
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
choose e: m do
  rule "take" exists q: P do flag[q] end ==> begin
    if e = 1 then taken[m[e]] := true; end;
  end;
end;
invariant "unflagged" forall p: P do taken[p] -> !flag[p] end;
