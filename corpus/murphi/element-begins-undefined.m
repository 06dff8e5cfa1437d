-- The only element that a multiset can hold begins with an undefined field.
-- expect: violated undefined-read depth 3
-- deadlock: off

type R: record v: 0..3; b: boolean; end;
var m: multiset[1] of R; x: 0..3;
startstate var c: R; begin undefine m; undefine c; c.b := true; multisetadd(c, m); x := 0; end;
rule "up" x < 2 ==> begin x := x + 1; end;
choose i: m do rule "read" x = 2 & m[i].b ==> begin x := m[i].v + 1; end; end;
