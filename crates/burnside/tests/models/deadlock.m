-- Two philosophers who both take the left fork first.
type
  fork: 0..1;
var
  taken: array[fork] of boolean;
  holds: array[fork] of 0..2;

startstate "dinner"
  for f: fork do taken[f] := false; holds[f] := 0; end;
end;

ruleset i: fork do
  rule "left" holds[i] = 0 & !taken[i] ==> taken[i] := true; holds[i] := 1; end;
  rule "right" holds[i] = 1 & !taken[1 - i] ==> taken[1 - i] := true; holds[i] := 2; end;
  rule "put down" holds[i] = 2 ==> taken[0] := false; taken[1] := false; holds[i] := 0; end;
end;
