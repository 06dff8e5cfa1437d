-- A loop takes some members out of a multiset and puts others in.
-- expect: holds
-- states: 64
-- rules: 256
-- deadlock: off
type P: scalarset(3); B: multiset [3] of P;
var x: B; a: array [P] of boolean;
startstate begin undefine x; for p: P do multisetadd(p, x); a[p] := false; end; end;
ruleset p: P do rule "t" true ==> begin a[p] := !a[p]; end; end;
rule "move" true ==> begin for p: P do if a[p] then multisetremovepred(i: x, x[i] = p); else if multisetcount(i: x, x[i] = p) = 0 then multisetadd(p, x); end; end; end; end;
invariant multisetcount(i: x, true) <= 3;
