-- Philosophers who eat once: the left fork, the right fork, eat, and give both back. (Chu and Jaffar, CAV 2012, table 1.)
const
  N: 3;

type
  Philosopher: 0..N - 1;
  Point: enum { Thinks, HasLeft, Eats, Ate, GaveRight, Full };

var
  fork: array [Philosopher] of 0..1;
  at: array [Philosopher] of Point;

function left(p: Philosopher): Philosopher;
begin
  return (p + N - 1) % N;
end;

function eating(): 0..N;
var n: 0..N;
begin
  n := 0;
  for p: Philosopher do
    if at[p] = Eats | at[p] = Ate then n := n + 1; end;
  end;
  return n;
end;

startstate begin
  for p: Philosopher do fork[p] := 0; at[p] := Thinks; end;
end;

ruleset p: Philosopher do
  rule "take left" at[p] = Thinks & fork[left(p)] = 0 ==> begin fork[left(p)] := 1; at[p] := HasLeft; end;
  rule "take right" at[p] = HasLeft & fork[p] = 0 ==> begin fork[p] := 1; at[p] := Eats; end;
  rule "finish" at[p] = Eats ==> begin at[p] := Ate; end;
  rule "give right" at[p] = Ate ==> begin fork[p] := 0; at[p] := GaveRight; end;
  rule "give left" at[p] = GaveRight ==> begin fork[left(p)] := 0; at[p] := Full; end;
end;

invariant "half eat at most" eating() <= N / 2;
