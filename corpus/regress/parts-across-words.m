-- Records and arrays that lie across words, copied, compared, cleared and passed on; ranges that do not begin at zero.
-- expect: holds
-- states: 1178
-- rules: 2232
-- deadlock: off
type P: scalarset(2); Odd: 7..200000; Rec: record a: Odd; b: array [0..3] of Odd; who: P; c: boolean; end;
var pad: 0..5; x: Rec; y: Rec; t: array [P] of Rec; m: multiset [2] of Rec; k: -3..4; same: boolean;
function second(r: Rec): Odd; begin return r.b[1]; end;
procedure shift(var r: Rec; d: 1..3);
begin
  for i := 3 to 1 by -1 do r.b[i] := r.b[i - 1]; end;
  r.b[0] := r.a; r.a := 7 + (r.a - 7 + d * 66000) % 199994;
end;
startstate begin
  pad := 5; k := -3; same := true; undefine m; clear x.a; clear x.b; undefine x.who; x.c := false; undefine y; undefine t;
end;
rule "shift" k < 4 & !isundefined(x.a) & isundefined(y.a) ==> begin shift(x, 2); k := k + 1; same := x = y; end;
rule "copy" k >= 0 & isundefined(y.a) ==> begin y := x; same := y = x; end;
rule "pass" !isundefined(y.a) & k > 0 ==>
  var l: Rec;
  begin l := y; shift(l, 1); y := l; k := k - 1; same := x = y; end;
ruleset p: P do
  rule "give" !isundefined(y.a) & isundefined(t[p].who) & second(y) != 7 ==>
    begin t[p] := y; t[p].who := p; t[p].c := true; end;
  rule "keep" !isundefined(t[p].who) & multisetcount(i: m, true) < 2 & multisetcount(i: m, m[i].who = p) = 0 ==>
    begin multisetadd(t[p], m); undefine t[p].b; end;
end;
choose i: m do
  rule "drop" m[i].c ==> begin m[i].b[2] := m[i].b[1]; m[i].c := false; end;
end;
invariant "pad" pad = 5 & (same -> isundefined(y.a) | x.a = y.a);
invariant "kept" multisetcount(i: m, !m[i].c & m[i].b[2] != m[i].b[1]) = 0;
