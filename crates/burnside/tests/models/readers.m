-- Processes of which some are writers, and clerks who serve them by rank. Three rules and a property tell processes apart.
const
  Readers: 4;
  Processes: 6;
type
  process: scalarset(Processes);
  clerk: 1..2;
var
  inside: array [process] of boolean;
  busy: array [clerk] of boolean;

startstate "nobody is inside"
  for p: process do inside[p] := false; end;
  for c: clerk do busy[c] := false; end;
end;

ruleset p: process do
  rule "enter" p <= Readers & !inside[p] ==> begin inside[p] := true; end;
  rule "write" p > Readers & forall q: process do !inside[q] end ==> begin inside[p] := true; end;
  rule "leave" inside[p] ==> begin inside[p] := false; end;
  rule "overtake" inside[p] & exists q: process do q < p & !inside[q] end ==> begin inside[p] := false; end;
end;

ruleset c: clerk do
  rule "work" begin busy[c] := !busy[c]; end;
end;

invariant "writers are alone"
  forall w: process; p: process do w > Readers & inside[w] & inside[p] -> w = p end;
