-- Liveness for each pair of members.
-- expect: holds
-- states: 25
-- rules: 75
-- deadlock: off
type P: scalarset(3);
var x: P; a: array [P] of boolean;
startstate undefine x; for p: P do a[p] := false; end; end;
ruleset p: P do rule "m" true ==> begin x := p; a[p] := !a[p]; end; end;
ruleset p: P; q: P do liveness !isundefined(x) & x = p & (a[q] | q = p); end;
