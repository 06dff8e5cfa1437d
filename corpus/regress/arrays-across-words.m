-- Arrays over two sets that lie across words, short and long, with references into them.
-- expect: holds
-- states: 187
-- rules: 258
-- deadlock: off
type A: scalarset(2); B: scalarset(3); Pad: 0..144115188075855870; Long: 5..1073741828;
var pad: Pad; few: array [B] of 0..2; a: A; more: array [A] of array [B] of boolean; b: B;
    long: array [B] of Long; left: 0..3;
startstate begin
  pad := 144115188075855870; for x: B do few[x] := 0; long[x] := 5; end;
  for y: A do for x: B do more[y][x] := false; end; end; left := 3;
end;
ruleset x: B do
  rule "few" left > 0 & few[x] < 2 ==> begin few[x] := few[x] + 1; b := x; left := left - 1; end;
  rule "long" left > 0 & !isundefined(b) & b != x & long[x] < 1000000000 ==>
  begin long[x] := long[x] * 31 + 77; long[b] := long[b] + 1; left := left - 1; end;
end;
ruleset y: A; x: B do
  rule "more" left > 0 & !more[y][x] & !isundefined(b) & x != b ==>
  begin more[y][x] := true; a := y; left := left - 1; end;
end;
invariant "pad" pad = 144115188075855870;
invariant "last" isundefined(b) | few[b] > 0;
invariant "mine" isundefined(a) | (exists x: B do more[a][x] end);
invariant "other" isundefined(b) | (forall y: A do !more[y][b] | few[b] > 0 end);
