-- Parts of elements are cleared and undefined in place.
-- expect: violated invariant "Invariant 1" depth 4
-- deadlock: off
type P: scalarset(2); R: record who: P; v: 1..2; end; B: multiset [2] of R;
var x: B; r: R;
startstate begin undefine x; undefine r; end;
ruleset p: P do rule "add" multisetcount(i: x, true) < 2 ==> begin r.who := p; r.v := 2; multisetadd(r, x); undefine r; end; end;
choose i: x do rule "clear" true ==> begin clear x[i].v; end; end;
choose i: x do rule "undef" true ==> begin undefine x[i].v; end; end;
invariant multisetcount(i: x, isundefined(x[i].v)) < 2;
