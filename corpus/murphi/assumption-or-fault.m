-- In a loop, an assumption of one round and a fault of another: what comes first decides.
-- expect: violated value-out-of-range depth 2
-- deadlock: off
type N: scalarset(3);
var q: array [N] of 0..2; b: array [N] of boolean; c: 0..1; d: boolean;
startstate begin for n: N do q[n] := 0; b[n] := false; end; c := 0; d := false; end;
ruleset n: N; m: N do rule "set" n != m & (forall k: N do q[k] = 0 end) ==> begin b[n] := true; q[m] := 2; end; end;
rule "go" !d & (exists k: N do q[k] = 2 end) ==> begin d := true; for n: N do assume !b[n]; if q[n] = 2 then c := q[n]; end; end; end;
