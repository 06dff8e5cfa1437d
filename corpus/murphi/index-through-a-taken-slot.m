-- An index is read from an element whose slot was taken again.
-- expect: holds
-- states: 52
-- rules: 135
-- deadlock: off

type N: scalarset(3);
var m: multiset[2] of N; a: array[N] of boolean; y: N; go: boolean;
startstate begin undefine m; for n: N do a[n] := false; end; undefine y; go := false; end;
ruleset n: N do rule "add" !go & multisetcount(i: m, true) < 2 ==> begin multisetadd(n, m); end;
rule "y" isundefined(y) ==> begin y := n; end; end;
choose i: m do rule "mark" !go & !isundefined(y) ==> begin multisetremove(i, m); multisetadd(y, m); a[m[i]] := true; go := true; end; end;
rule "again" go ==> begin go := false; undefine y; undefine m; for n: N do a[n] := false; end; end;
invariant "i" !go | (exists n: N do a[n] end);
