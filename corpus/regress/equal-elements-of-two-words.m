-- Equal elements of two words are counted, not merged, and their order means nothing.
-- expect: holds
-- states: 365
-- rules: 800
-- deadlock: off
type N: scalarset(2); W: 3..100000000000000002; E: record w: W; n: N; v: W; end;
var net: multiset [4] of E; c: 0..4;
startstate begin undefine net; c := 0; end;
ruleset n: N; k: 0..1 do
  rule "add" c < 4 ==>
  var e: E;
  begin e.w := 3 + k * 99999999999999999; e.n := n; e.v := 3; multisetadd(e, net); c := c + 1; end;
end;
choose i: net do rule "mark" c = 4 & net[i].v = 3 ==> begin net[i].v := 100000000000000002; end; end;
invariant "all there" c = multisetcount(i: net, true);
invariant "marked last" c = 4 | multisetcount(i: net, net[i].v != 3) = 0;
