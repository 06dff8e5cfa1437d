-- What an element of a multiset holds may be undefined from the start.
-- expect: violated undefined-read depth 1
-- deadlock: off
type R: record f: 0..1; g: 0..1; end;
var m: multiset [2] of R; x: 0..1;
startstate
var r: R;
begin undefine m; undefine r; r.g := 1; multisetadd(r, m); x := 0; end;
choose e: m do rule "read" true ==> begin x := m[e].f + 0; end; end;
