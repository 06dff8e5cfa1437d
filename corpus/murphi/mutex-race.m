-- Testing the flag and setting it are two steps: a race.
-- expect: violated invariant "mutex" depth 4
-- agrees: rumur 2022.08.20

type Process: scalarset(2);
     Place: enum {Outside, Tested, Inside};
var at: array [Process] of Place;
    busy: boolean;

ruleset p: Process do
  rule "test" at[p] = Outside & !busy ==> begin at[p] := Tested; end;
  rule "enter" at[p] = Tested ==> begin at[p] := Inside; busy := true; end;
  rule "leave" at[p] = Inside ==> begin at[p] := Outside; busy := false; end;
end;

startstate
begin
  for p: Process do at[p] := Outside; end;
  busy := false;
end;

invariant "mutex"
  !(exists p: Process do exists q: Process do p != q & at[p] = Inside & at[q] = Inside end end);
