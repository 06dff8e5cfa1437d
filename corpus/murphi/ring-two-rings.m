-- Two rings, one of which refers to members of the other.
-- expect: holds
-- states: 64
-- rules: 126
-- deadlock: off
type N: ringset(3); M: ringset(3); var a: array [N] of M; y: N; z: M;
startstate begin undefine a; end;
ruleset n: N; o: M do rule "p" isundefined(y) ==> begin y := n; z := o; a[n] := o; end; end;
rule "s" !isundefined(y) ==> begin a[next(y)] := prev(a[y]); y := next(y); z := a[y]; end;
rule "t" !isundefined(y) & !isundefined(a[prev(y)]) ==> begin a[y] := next(a[prev(y)]); end;
invariant isundefined(y) | !isundefined(a[y]);
