-- Two rules of three treat all processes alike, but the third adds their numbers: annotated states soon stand for
-- themselves alone.
const
  N: 12;
  Bound: N * (N + 1) / 2;

type
  Process: 1..N;
  Point: enum { Idle, Ready, Added, Gone };

var
  sum: 0..N * (N + 1) / 2;
  at: array [Process] of Point;

startstate begin
  sum := 0;
  for p: Process do at[p] := Idle; end;
end;

ruleset p: Process do
  rule "come" at[p] = Idle ==> begin at[p] := Ready; end;
  rule "add" at[p] = Ready ==> begin sum := sum + p; at[p] := Added; end;
  rule "go" at[p] = Added ==> begin at[p] := Gone; end;
end;

invariant "bounded" sum <= Bound;
