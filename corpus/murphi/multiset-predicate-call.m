-- The condition on elements calls a function.
-- expect: holds
-- states: 28
-- rules: 70
-- deadlock: off
type P: scalarset(2); R: record who: P; v: 0..2; end; B: multiset [2] of R;
var x: B; r: R; n: 0..2;
function big(var z: R): boolean; begin return z.v > 1; end;
startstate begin undefine x; undefine r; n := 0; end;
ruleset p: P; v: 0..2 do rule "add" multisetcount(i: x, true) < 2 ==> begin r.who := p; r.v := v; multisetadd(r, x); undefine r; n := multisetcount(i: x, big(x[i])); end; end;
rule "purge" true ==> begin multisetremovepred(i: x, big(x[i])); n := multisetcount(i: x, big(x[i])); end;
invariant n <= multisetcount(i: x, true);
