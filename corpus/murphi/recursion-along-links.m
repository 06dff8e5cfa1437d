-- A function follows links between members.
-- expect: holds
-- states: 108
-- rules: 1296
-- deadlock: off
type P: scalarset(3);
var nxt: array [P] of P; t: P;
function walk(p: P; k: 0..4): P; begin if k = 0 then return p; end; return walk(nxt[p], k - 1); end;
startstate begin for p: P do nxt[p] := p; end; undefine t; end;
ruleset p: P; q: P do rule "l" true ==> begin nxt[p] := q; end; end;
ruleset p: P do rule "w" true ==> begin t := walk(p, 3); end; end;
invariant isundefined(t) | exists p: P do walk(p, 0) = t end;
