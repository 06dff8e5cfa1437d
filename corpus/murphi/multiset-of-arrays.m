-- Elements of a multiset hold arrays over identities.
-- expect: violated invariant "Invariant 1" depth 4
-- deadlock: off
type P: scalarset(2); R: record who: P; seen: array [P] of boolean; end;
var net: multiset [2] of R; r: R; c: 0..2;
startstate begin undefine net; undefine r; c := 0; end;
ruleset p: P do rule "send" c < 2 ==> begin r.who := p; for q: P do r.seen[q] := q = p; end; multisetadd(r, net); c := c + 1; undefine r; end; end;
choose i: net do rule "see" true ==> begin for q: P do net[i].seen[q] := true; end; end; end;
invariant multisetcount(i: net, forall q: P do net[i].seen[q] end) < 2;
