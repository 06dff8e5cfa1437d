-- Elements of a multiset that take three words and differ in one of them only, with identities in each.
-- expect: holds
-- states: 340
-- rules: 558
-- deadlock: off
type N: scalarset(3); W: 0..100000000000000000;
     E: record front: N; one: W; two: W; mid: N; three: W; last: N; end;
var net: multiset [3] of E; sent: 0..3; seen: N;
startstate begin undefine net; sent := 0; end;
ruleset n: N; o: N do
  rule "send" sent < 2 & n != o ==>
  var e: E;
  begin
    e.front := n; e.mid := o; undefine e.last; e.one := 99999999999999999; e.two := 1;
    e.three := 70000000000000000;
    if sent = 1 then e.last := n; e.three := 70000000000000001; end;
    multisetadd(e, net); sent := sent + 1;
  end;
end;
choose i: net do
  rule "turn" sent = 2 & isundefined(net[i].last) ==>
  begin net[i].last := net[i].front; net[i].front := net[i].mid; net[i].three := net[i].three + 1; end;
  rule "same" sent = 2 & !isundefined(net[i].last) & net[i].two = 1 ==>
  begin net[i].two := 2; seen := net[i].last; end;
  rule "take" net[i].two = 2 ==> begin multisetremove(i, net); sent := 3; end;
end;
invariant "kept" multisetcount(i: net, net[i].one != 99999999999999999) = 0;
invariant "names" multisetcount(i: net, !isundefined(net[i].last) & net[i].last = net[i].mid) = 0 | sent >= 2;
