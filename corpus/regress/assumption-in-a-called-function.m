-- expect: holds
-- states: 8
-- rules: 48
-- An assumption in a function that a statement calls ends the step, whatever stands behind the call.
-- deadlock: off
type N: scalarset(3);
var x: 0..3; k: 0..3; a: array [N] of boolean;
function f(n: N; v: 0..3): 0..3; begin assume !a[n]; a[n] := true; return v; end;
procedure g(n: N); begin assume a[n]; a[n] := false; end;
startstate begin x := 0; k := 0; for n: N do a[n] := false; end; end;
ruleset n: N do
  rule "call" true ==> begin if a[n] then k := 1; end; x := f(n, 2); x := k; end;
  rule "back" true ==> begin if !a[n] then k := 2; end; g(n); x := k; end;
end;
invariant "never behind" x = 0;
