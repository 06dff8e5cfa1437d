-- In a loop, an assumption of one round and an error of another: what comes first decides.
-- expect: violated error "x" depth 2
-- deadlock: off
type N: scalarset(3);
var a: array [N] of boolean; b: array [N] of boolean; d: boolean;
startstate begin for n: N do a[n] := false; b[n] := false; end; d := false; end;
ruleset n: N; m: N do rule "set" n != m & (forall k: N do !a[k] end) ==> begin a[n] := true; b[m] := true; end; end;
rule "go" !d & (exists k: N do a[k] end) ==> begin d := true; for n: N do if a[n] then error "x"; end; assume !b[n]; end; end;
