-- Priorities, assumptions and covers of which some name a member.
-- expect: holds
-- states: 38
-- rules: 82
-- deadlock: off
type N: scalarset(3); var x: array [N] of 0..2; y: N;
startstate begin for n: N do x[n] := 0; end; end;
ruleset n: N do
  rule 1 "i" x[n] < 2 ==> begin x[n] := x[n] + 1; y := n; if n = 3 then cover x[n] = 2; end; end;
  rule 0 "j" n != 1 & x[n] = 2 & !isundefined(y) & y = n ==> begin assume x[1] < 2; undefine y; x[n] := 0; end;
end;
assume x[2] < 2 | x[3] < 2;
ruleset n: N do cover n = 1 | x[n] = 2; end;
invariant isundefined(y) | x[y] > 0;
