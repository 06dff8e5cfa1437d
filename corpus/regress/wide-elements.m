-- Elements of a multiset that do not fit one word.
-- expect: holds
-- states: 184
-- rules: 441
-- deadlock: off
type P: scalarset(3); Wide: 0..1000000000;
var m: multiset [3] of record x: Wide; y: Wide; who: P; z: Wide; end; n: 0..3;
startstate begin undefine m; n := 0; end;
ruleset p: P do
  rule "send" n < 3 & multisetcount(e: m, m[e].who = p) = 0 ==>
  var r: record x: Wide; y: Wide; who: P; z: Wide; end;
  begin r.x := n; r.y := 1000000000 - n; r.who := p; r.z := 3; multisetadd(r, m); n := n + 1; end;
end;
choose e: m do
  rule "swap" m[e].z = 3 ==> begin m[e].x := 1000000000 - m[e].x; m[e].z := 900000000; end;
  rule "take" m[e].z = 900000000 ==> begin multisetremove(e, m); end;
end;
invariant "sum" multisetcount(e: m, m[e].z = 3 & m[e].x + m[e].y != 1000000000) = 0;
