-- An alias indexed by another one, both written.
-- expect: holds
-- states: 108
-- rules: 1296
-- deadlock: off
type P: scalarset(3);
var nxt: array [P] of P; x: P; y: P;
startstate begin for p: P do nxt[p] := p; end; undefine x; undefine y; end;
ruleset p: P; q: P do rule "link" true ==> begin nxt[p] := q; end; end;
ruleset p: P do alias s: nxt[p]; t: nxt[s] do rule "jump" true ==> begin s := t; x := s; y := t; end; end; end;
invariant !isundefined(x) -> !isundefined(y);
