-- Names of a record and of a number are bound before the parameter of the rules that change them.
-- expect: holds
-- states: 976
-- rules: 2928
-- deadlock: off

type N: scalarset(3); R: record v: 0..3; l: N; end;
var s: R; t: 0..3; a: array[N] of boolean; k: array[N] of R;
startstate begin s.v := 0; undefine s.l; t := 0; for n: N do a[n] := false; k[n].v := 0; k[n].l := n; end; end;
alias x: s do alias y: t do ruleset n: N do alias z: k[n] do
  rule "up" x.v < 3 & !a[n] ==> begin x.v := x.v + 1; x.l := z.l; a[n] := true; y := (y + x.v) % 4; z.v := x.v; end;
  rule "down" x.v > 0 & a[n] ==> begin x.v := x.v - 1; a[n] := false; undefine x.l; z.v := y; end;
end; end; end; end;
invariant "i" exists n: N do a[n] & k[n].v <= 3 | !a[n] end;
