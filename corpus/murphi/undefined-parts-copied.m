-- Records are copied with whatever in them is undefined.
-- expect: holds
-- states: 10
-- rules: 60
-- deadlock: off
type P: scalarset(2); R: record i: P; v: 0..1; end;
var a: array [P] of R; t: R;
startstate begin undefine a; undefine t; end;
ruleset p: P do rule "copy" true ==> begin t := a[p]; end; end;
ruleset p: P do rule "set" true ==> begin a[p].i := p; a[p].v := 1; end; end;
ruleset p: P do rule "unset" true ==> begin a[p] := t; end; end;
invariant isundefined(t.i) = isundefined(t.v);
