-- A label that is a variable.
-- expect: violated invariant "Invariant 1" depth 2
-- deadlock: off
type P: scalarset(3);
var x: P; y: P; hit: boolean;
startstate begin undefine x; undefine y; hit := false; end;
ruleset p: P; q: P do rule "set" isundefined(x) ==> begin x := p; y := q; end; end;
rule "sw" !isundefined(x) & !hit ==> begin switch x case y: hit := true; else hit := false; end; end;
invariant !hit;
