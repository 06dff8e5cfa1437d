-- Graphs whose edges are elements of a multiset, some of them twice.
-- expect: holds
-- states: 619
-- rules: 1836
-- deadlock: off
type P: scalarset(4); Edge: record src: P; tag: 3..4; dst: P; end;
var m: multiset [3] of Edge;
startstate begin undefine m; end;
ruleset p: P; q: P do
  rule "add" p != q & multisetcount(i: m, true) < 3 & multisetcount(i: m, m[i].src = p) = 0 ==>
    var e: Edge;
    begin e.src := p; e.dst := q; e.tag := 3; multisetadd(e, m); end;
end;
choose i: m do
  rule "mark" m[i].tag = 3 & multisetcount(j: m, m[j].tag = 4) = 0 ==> begin m[i].tag := 4; end;
  rule "turn" m[i].tag = 4 & multisetcount(j: m, m[j].src = m[i].dst) = 0 ==>
    var e: Edge;
    begin e := m[i]; m[i].src := e.dst; m[i].dst := e.src; end;
end;
invariant "no loop" multisetcount(i: m, m[i].src = m[i].dst) = 0;
