-- Two processes that look before they enter, but not at the same time.
const
  N: 2;
type
  process: scalarset(N);
  place: enum {idle, waiting, critical};
var
  at: array[process] of place;
  last: process;

startstate "all idle"
  for p: process do at[p] := idle; end;
  undefine last;
end;

ruleset p: process do
  rule "request" at[p] = idle ==> at[p] := waiting; end;
  rule "enter" at[p] = waiting ==> at[p] := critical; last := p; end;
  rule "leave" at[p] = critical ==> at[p] := idle; end;
end;

invariant "mutual exclusion"
  forall p: process do forall q: process do
    at[p] = critical & at[q] = critical -> p = q
  end end;
