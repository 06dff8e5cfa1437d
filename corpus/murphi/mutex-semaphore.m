-- A binary semaphore guards a critical section.
-- expect: holds
-- states: 20
-- rules: 48
-- agrees: rumur 2022.08.20

const N: 3;
type Process: scalarset(N);
     Place: enum {Outside, Waiting, Inside};
var at: array [Process] of Place;
    free: boolean;

ruleset p: Process do
  rule "arrive" at[p] = Outside ==> begin at[p] := Waiting; end;
  rule "enter" at[p] = Waiting & free ==> begin at[p] := Inside; free := false; end;
  rule "leave" at[p] = Inside ==> begin at[p] := Outside; free := true; end;
end;

startstate "all outside"
begin
  for p: Process do at[p] := Outside; end;
  free := true;
end;

invariant "mutex"
  forall p: Process do forall q: Process do
    at[p] = Inside & at[q] = Inside -> p = q
  end end;
