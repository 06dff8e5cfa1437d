-- A ticket lock: numbers wrap around, and are enough for all.
-- expect: holds
-- states: 516
-- rules: 1008
-- agrees: rumur 2022.08.20

const N: 4;
type Process: 0..N - 1;
     Number: 0..N - 1;
var next, serving: Number;
    mine: array [Process] of Number;
    waiting, inside: array [Process] of boolean;

ruleset p: Process do
  rule "take" !waiting[p] & !inside[p] ==> begin
    mine[p] := next; next := (next + 1) % N; waiting[p] := true;
  end;
  rule "enter" waiting[p] & mine[p] = serving ==> begin waiting[p] := false; inside[p] := true; end;
  rule "leave" inside[p] ==> begin
    inside[p] := false; undefine mine[p]; serving := (serving + 1) % N;
  end;
end;

startstate
begin
  next := 0; serving := 0;
  for p: Process do waiting[p] := false; inside[p] := false; end;
end;

invariant "mutex" forall p: Process do forall q: Process do inside[p] & inside[q] -> p = q end end;
invariant "own numbers"
  forall p: Process do forall q: Process do
    waiting[p] & waiting[q] & p != q -> mine[p] != mine[q]
  end end;
