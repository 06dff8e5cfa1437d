-- Values that are only copied and compared.
-- expect: holds
-- states: 28
-- rules: 146
-- deadlock: off
type V: 1..3; P: scalarset(2);
var mem: V; c: array [P] of V; ok: array [P] of boolean;
startstate begin mem := 1; for p: P do undefine c[p]; ok[p] := false; end; end;
ruleset p: P do rule "load" true ==> begin c[p] := mem; ok[p] := true; end; end;
ruleset p: P; v: V do rule "store" ok[p] ==> begin mem := v; for q: P do ok[q] := q = p; end; c[p] := v; end; end;
invariant forall p: P do ok[p] -> c[p] = mem end;
