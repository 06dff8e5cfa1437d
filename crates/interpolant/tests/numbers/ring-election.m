-- Chang and Roberts on a ring: numbers travel and only greater ones go on; the greatest comes back to its owner.
const N: 5;
type
  Node: 0..N - 1;
  Point: enum { Quiet, Started, Beaten, Leads };
var
  at: array [Node] of Point;
  inbox: array [Node] of 0..N;
startstate begin for n: Node do at[n] := Quiet; inbox[n] := 0; end; end;
ruleset n: Node do
  rule "start" at[n] = Quiet & inbox[(n + 1) % N] = 0 ==> begin inbox[(n + 1) % N] := n + 1; at[n] := Started; end;
  rule "pass" inbox[n] > n + 1 & inbox[(n + 1) % N] = 0
  ==> begin inbox[(n + 1) % N] := inbox[n]; inbox[n] := 0; at[n] := Beaten; end;
  rule "drop" inbox[n] > 0 & inbox[n] < n + 1 & at[n] != Quiet ==> begin inbox[n] := 0; end;
  rule "win" inbox[n] = n + 1 ==> begin inbox[n] := 0; at[n] := Leads; end;
end;
invariant "the greatest leads" forall n: Node do at[n] = Leads -> n = N - 1 end;
