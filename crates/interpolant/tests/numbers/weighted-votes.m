-- A vote weighs as much as its voter's number; more than half of all weight decides.
const N: 8;
type
  Voter: 1..N;
  Choice: enum { None, Yes, No };
var
  vote: array [Voter] of Choice;
  yes: 0..N * (N + 1) / 2;
  no: 0..N * (N + 1) / 2;
startstate begin yes := 0; no := 0; for v: Voter do vote[v] := None; end; end;
ruleset v: Voter do
  rule "yes" vote[v] = None ==> begin yes := yes + v; vote[v] := Yes; end;
  rule "no" vote[v] = None ==> begin no := no + v; vote[v] := No; end;
end;
invariant "not both" !(yes > N * (N + 1) / 4 + N & no > N * (N + 1) / 4 + N);
