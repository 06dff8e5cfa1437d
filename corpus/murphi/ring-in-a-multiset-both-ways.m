-- Members of a ring in a multiset, moved on by one step and back by two.
-- expect: holds
-- states: 29
-- rules: 76
-- deadlock: off
type N: ringset(4); var m: multiset [2] of N; d: boolean;
startstate begin undefine m; d := false; end;
ruleset n: N do
  rule "put" multisetcount(i: m, true) < 2 & multisetcount(i: m, m[i] = n) = 0 ==>
  begin multisetadd(n, m); end; end;
choose i: m do
  rule "cw" !d ==>
  begin m[i] := next(m[i]); d := true; end; rule "ccw" d ==>
  begin m[i] := prev(prev(m[i])); d := false; end; end;
invariant multisetcount(i: m, multisetcount(j: m, next(m[j]) = m[i]) > 0) < 2;
