-- A parameter is undefined where what was passed is.
-- expect: violated undefined-read depth 2
-- deadlock: off
type R: record f: 0..1; end;
var r, s: R; x: 0..1; n: 0..2;
procedure keep(it: R); begin s := it; end;
startstate begin r.f := 1; s.f := 0; x := 0; n := 0; end;
rule "forget" n = 0 ==> var t: R; begin undefine t; keep(t); n := 1; end;
rule "read" n = 1 ==> begin x := s.f + 0; n := 2; end;
