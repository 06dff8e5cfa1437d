-- A loop undefines what refers to one member.
-- expect: holds
-- states: 8
-- rules: 24
-- deadlock: off
type P: scalarset(3);
var a: array [P] of P; c: 0..3;
startstate begin for p: P do a[p] := p; end; c := 3; end;
ruleset p: P do rule "u" !isundefined(a[p]) ==> begin for q: P do if !isundefined(a[q]) & a[q] = p then undefine a[q]; c := c - 1; end; end; end; end;
ruleset p: P do rule "d" isundefined(a[p]) ==> begin a[p] := p; c := c + 1; end; end;
invariant c <= 3;
