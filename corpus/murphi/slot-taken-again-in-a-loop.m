-- The slot of an element that was taken out is taken again within a round of a loop.
-- expect: holds
-- states: 52
-- rules: 135
-- deadlock: off

type N: scalarset(3);
var m: multiset[2] of N; x: N; y: N; go: boolean;
startstate begin undefine m; undefine x; undefine y; go := false; end;
ruleset n: N do rule "add" !go & multisetcount(i: m, true) < 2 ==> begin multisetadd(n, m); end;
rule "y" isundefined(y) ==> begin y := n; end; end;
choose i: m do rule "loop" !go & !isundefined(y) ==> begin for v := 0 to 0 do multisetremove(i, m); multisetadd(y, m); x := m[i]; end; go := true; end; end;
rule "again" go ==> begin go := false; undefine y; undefine x; end;
invariant "i" isundefined(x) | x = y;
