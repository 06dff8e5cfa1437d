-- Elements of which nothing is defined are elements too.
-- expect: violated invariant "Invariant 1" depth 6
-- deadlock: off
type P: scalarset(2); R: record who: P; v: 1..2; end; B: multiset [3] of R;
var x: B; r: R;
startstate begin undefine x; undefine r; end;
rule "add" multisetcount(i: x, true) < 3 ==> begin multisetadd(r, x); end;
choose i: x do ruleset p: P do rule "set" true ==> begin x[i].who := p; end; end; end;
choose i: x do rule "unset" true ==> begin undefine x[i]; end; end;
choose i: x do rule "rem" isundefined(x[i].who) ==> begin multisetremove(i, x); end; end;
invariant multisetcount(i: x, !isundefined(x[i].who)) < 3;
