-- A function follows links between nodes by calling itself.
-- expect: holds
-- states: 108
-- rules: 1296
-- deadlock: off

type N: scalarset(3);
var nx: array[N] of N; y: N;
function root(n: N; k: 0..9): N; begin if k = 0 then return n; else return root(nx[n], k - 1); end; end;
startstate begin for n: N do nx[n] := n; end; undefine y; end;
ruleset n: N; o: N do rule "link" true ==> begin nx[n] := o; end;
rule "walk" isundefined(y) ==> begin y := root(n, 4); end; end;
rule "forget" !isundefined(y) ==> begin undefine y; end;
