-- An element that was taken out is read through an alias.
-- expect: holds
-- states: 12
-- rules: 24
-- deadlock: off
type N: scalarset(2); R: record n: N; v: 0..2; end; var m: multiset [2] of R; g: 0..2; h: N;
startstate begin undefine m; g := 0; end;
ruleset n: N do
  rule "add" multisetcount(i: m, true) < 2 & multisetcount(i: m, m[i].n = n) = 0 ==>
  var r: R;
  begin r.n := n; r.v := 1; multisetadd(r, m); end; end;
choose i: m do
  rule "take" true ==>
  begin alias e: m[i] do h := e.n; multisetremove(i, m); if isundefined(e.v) then g := 2; else g := e.v;
  end; end; end; end;
invariant g != 1;
