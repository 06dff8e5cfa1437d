-- A quantifier whose body changes a variable would be a loop in which the last round wins.
-- expect: invalid effect-in-expression
-- deadlock: off
type P: scalarset(3);
var a: array [P] of boolean; last, done: boolean;
function f(i: P): boolean; begin last := a[i]; return true; end;
startstate begin for i: P do a[i] := false; end; last := false; done := false; end;
ruleset i: P do rule "flip" !done ==> begin a[i] := !a[i]; end; end;
rule "all" !done ==> begin done := forall i: P do f(i) end; end;
invariant "two" !done | !last | exists i: P do a[i] & exists j: P do a[j] & i != j end end;
