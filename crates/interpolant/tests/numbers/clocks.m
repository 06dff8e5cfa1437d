-- Logical clocks: a message takes the greater of two clocks and one more; nobody gets ahead of the number of messages.
const N: 3; Messages: 4;
type
  Process: 1..N;
  Time: 0..Messages;
var
  clock: array [Process] of Time;
  sent: Time;
startstate begin sent := 0; for p: Process do clock[p] := 0; end; end;
ruleset p: Process; q: Process do
  rule "send" p != q & sent < Messages ==>
  begin
    sent := sent + 1;
    if clock[p] >= clock[q] then clock[q] := clock[p] + 1; else clock[q] := clock[q] + 1; end;
  end;
end;
invariant "nobody is ahead" forall p: Process do clock[p] <= sent end;
