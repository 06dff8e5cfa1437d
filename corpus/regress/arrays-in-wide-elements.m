-- Elements with arrays over identities inside, longer than a word, in a multiset of each member of another set.
-- expect: holds
-- states: 85
-- rules: 120
-- deadlock: off
type A: scalarset(2); N: scalarset(3); W: 0..1000000000; E: record t: array [N] of W;
  b: array [N] of boolean; dst: N; end;
var net: array [A] of multiset [2] of E; c: 0..3;
startstate begin for a: A do undefine net[a]; end; c := 0; end;
ruleset a: A; n: N do
  rule "send" c < 2 & multisetcount(i: net[a], true) < 2 ==>
  var e: E;
  begin for m: N do e.t[m] := 7; e.b[m] := false; end; e.t[n] := 1000000000; e.b[n] := true;
    e.dst := n; multisetadd(e, net[a]); c := c + 1; end;
end;
ruleset a: A do choose i: net[a] do
  rule "forward" c = 2 & net[a][i].b[net[a][i].dst] ==>
  begin
    for m: N do if m != net[a][i].dst then net[a][i].t[m] := net[a][i].t[m] + 1; end; end;
    net[a][i].b[net[a][i].dst] := false;
  end;
end; end;
invariant "own" forall a: A do multisetcount(i: net[a], net[a][i].t[net[a][i].dst] != 1000000000) = 0 end;
invariant "others" forall a: A do multisetcount(i: net[a], exists m: N do m != net[a][i].dst & net[a][i].t[m] > 8 end) = 0 end;
invariant "flag" forall a: A do multisetcount(i: net[a], exists m: N do m != net[a][i].dst & net[a][i].b[m] end) = 0 end;
