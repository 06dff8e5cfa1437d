-- A function switches over a union and returns from some cases only.
-- expect: holds
-- states: 353
-- rules: 2655
-- deadlock: off

type N: scalarset(3);
type U: union{N, enum{e0,e1}}; var u: array[N] of U; last: U;
function pick(v: U): U; begin switch v case e0: return e1; case e1: return e0; else if ismember(v, N) then return u[v]; end; end; return v; end;
startstate begin for n: N do u[n] := n; end; last := e0; end;
ruleset n: N do rule "p" true ==> begin last := pick(u[n]); end;
rule "s" true ==> begin u[n] := last; end;
rule "e" ismember(u[n], N) ==> begin u[n] := e1; end; end;
