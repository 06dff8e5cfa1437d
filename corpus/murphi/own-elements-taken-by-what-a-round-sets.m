-- A round takes out elements of its own by what another round sets.
-- expect: holds
-- states: 15
-- rules: 23
-- deadlock: off

type N: scalarset(2); R: record k: N; v: 0..2; end;
var a: array[N] of boolean; b: array[N] of boolean; x: 0..2; go: boolean; m: multiset[2] of R; c: R;
startstate begin for n: N do a[n] := false; b[n] := false; end; x := 0; go := false; undefine m; for n: N do c.k := n; c.v := 1; multisetadd(c, m); end; undefine c; end;
ruleset n: N do rule "mark" !a[n] & !go ==> begin a[n] := true; end; end;
rule "round" !go ==> begin for n: N do if a[n] then multisetremovepred(i: m, m[i].k = n & m[i].v = x); else x := 1; end; end; go := true; end;
rule "refill" go & multisetcount(i: m, true) = 0 ==> begin for n: N do c.k := n; c.v := 1; multisetadd(c, m); end; undefine c; end;
rule "again" go ==> begin x := 0; go := false; for n: N do a[n] := false; b[n] := false; end; end;
invariant "t" x < 2;
