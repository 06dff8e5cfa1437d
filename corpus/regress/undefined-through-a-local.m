-- A variable is undefined where the local variable that was copied into it is.
-- expect: violated undefined-read depth 2
-- deadlock: off
type R: record f: boolean; end;
var s: R; x: boolean; n: 0..2;
procedure fill(var it: R); var t: R; begin undefine t; it := t; end;
startstate begin s.f := true; x := false; n := 0; end;
rule "forget" n = 0 ==> begin fill(s); n := 1; end;
rule "read" n = 1 ==> begin if s.f then x := true; end; n := 2; end;
