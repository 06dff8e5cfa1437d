-- A function returns the first member it finds.
-- expect: violated invariant "Invariant 1" depth 3
-- deadlock: off
type P: scalarset(3); A: array [P] of boolean;
var a: A; x: P; y: P;
function first(var b: A): P; begin for p: P do if b[p] then return p; end; end; error "none"; end;
startstate begin for p: P do a[p] := false; end; undefine x; undefine y; end;
ruleset p: P do rule "y" isundefined(y) ==> begin y := p; end; end;
ruleset p: P; q: P do rule "set" p != q & forall r: P do !a[r] end ==> begin a[p] := true; a[q] := true; end; end;
rule "find" isundefined(x) & exists p: P do a[p] end ==> begin x := first(a); end;
invariant isundefined(x) | isundefined(y) | !a[y] | x != y;
