-- A function that goes round a ring by calling itself.
-- expect: holds
-- states: 13
-- rules: 28
-- deadlock: off

type N: ringset(4); var a: array[N] of boolean; y: N;
function far(n: N; k: 0..4): N; begin if k = 0 then return n; end; return far(next(n), k - 1); end;
startstate begin for n: N do a[n] := false; end; undefine y; end;
ruleset n: N do rule "r" !a[n] & !a[far(n, 3)] & !a[next(n)] ==> begin a[n] := true; y := far(n, 2); end;
rule "s" a[prev(n)] ==> begin a[prev(n)] := false; undefine y; end; end;
