-- A token goes round both ways.
-- expect: holds
-- states: 5
-- rules: 12
-- deadlock: off
type N: ringset(4);
var tok: N; a: array [N] of boolean;
startstate begin for n: N do a[n] := false; end; undefine tok; end;
ruleset n: N do rule "init" isundefined(tok) ==> begin tok := n; a[n] := true; end; end;
rule "pass" !isundefined(tok) ==> begin a[tok] := false; tok := next(tok); a[tok] := true; end;
rule "back" !isundefined(tok) ==> begin a[tok] := false; tok := prev(tok); a[tok] := true; end;
invariant forall n: N do !(a[n] & a[next(n)]) end;
invariant forall n: N do prev(next(n)) = n end;
