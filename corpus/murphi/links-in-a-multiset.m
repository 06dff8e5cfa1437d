-- Records with undefined references in a multiset, linked and unlinked two at a time.
-- expect: holds
-- states: 511
-- rules: 1737
-- deadlock: off
type N: scalarset(3); R: record who: N; tag: enum {a, b}; next: N; end;
var m: multiset [3] of R; c: 0..3;
startstate begin undefine m; c := 0; end;
ruleset n: N do
  rule "add" c < 3 ==>
  var r: R;
  begin undefine r; r.who := n; if c > 0 then r.tag := a; end; multisetadd(r, m); c := c + 1; end;
end;
choose i: m do choose j: m do
  rule "link" isundefined(m[i].next) & m[i].who != m[j].who ==> begin m[i].next := m[j].who; end;
  rule "unlink" !isundefined(m[j].next) & m[j].next = m[i].who ==>
  begin undefine m[j].next; multisetremove(i, m); c := c - 1; end;
end; end;
invariant multisetcount(i: m, m[i].next = m[i].who) = 0;
