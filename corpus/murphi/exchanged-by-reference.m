-- References to fields of records that are exchanged by the same procedure.
-- expect: holds
-- states: 64
-- rules: 384
-- deadlock: off

type N: scalarset(3);
type R: record a: 0..1; b: N; end; var r: array[N] of R; g: N;
procedure swap(var x: R; var y: R); var t: R; begin t := x; x := y; y := t; end;
procedure swapn(var x: N; var y: N); var t: N; begin t := x; x := y; y := t; end;
startstate begin for n: N do r[n].a := 0; r[n].b := n; g := n; end; end;
ruleset n: N; o: N do rule "s" r[n].a = 0 ==> begin swap(r[n], r[o]); swapn(r[o].b, g); swapn(r[r[n].b].b, r[n].b); r[n].a := 1; end; end;
ruleset n: N do rule "z" r[n].a = 1 ==> begin r[n].a := 0; end; end;
