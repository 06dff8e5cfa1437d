-- Looks like a ring, but one rule names a process: rotations are no automorphisms.
--
-- Whoever rotates states anyway takes the token for having been marked everywhere and misses what happens at process 3.
-- expect: violated invariant "not marked" depth 4
-- deadlock: off

const N: 5;
type Process: 0..N - 1;
var token: Process; marked: array [Process] of boolean;

ruleset p: Process do
  rule "pass" token = p ==> begin token := (p + 1) % N; end;
  rule "mark" token = p & p = 3 ==> begin marked[p] := true; end;
end;

startstate begin
  token := 0;
  for p: Process do marked[p] := false; end;
end;

invariant "not marked" forall p: Process do !marked[p] end;
