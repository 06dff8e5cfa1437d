-- Every partial map of four points to themselves, and relations between two classes.
-- expect: holds
-- states: 1363
-- rules: 4952
-- deadlock: off
type P: scalarset(4); Q: scalarset(2);
var f: array [P] of P; mark: Q; seen: array [Q] of boolean;
startstate begin undefine f; undefine mark; for q: Q do seen[q] := false; end; end;
ruleset p: P; q: P do
  rule "send" isundefined(f[p]) ==> begin f[p] := q; end;
end;
ruleset p: P; q: Q do
  rule "mark" isundefined(mark) & !isundefined(f[p]) & f[p] = p ==> begin mark := q; seen[q] := true; end;
end;
invariant "the mark is seen" isundefined(mark) | seen[mark] & exists p: P do !isundefined(f[p]) & f[p] = p end;
