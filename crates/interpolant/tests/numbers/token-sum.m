-- A token visits processes in any order; whoever has it adds its number to a sum and passes it on.
const N: 7;
type
  Process: 1..N;
var
  holder: Process;
  done: array [Process] of boolean;
  sum: 0..N * (N + 1) / 2;
startstate begin holder := 1; sum := 0; for p: Process do done[p] := false; end; end;
ruleset p: Process; q: Process do
  rule "add and pass" holder = p & !done[p] & !done[q]
  ==> begin sum := sum + p; done[p] := true; holder := q; end;
end;
invariant "bounded" sum <= N * (N + 1) / 2;
