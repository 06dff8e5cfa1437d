-- A counter that leaves its range, or (with GUARD = 1) is read before it is set.
const
  GUARD: 0;
var
  n: 0..2;
  unset: 0..2;

startstate begin n := 0; undefine unset; end;

rule "count" begin n := n + 1; end;
rule "look" GUARD = 1 & n = 1 & unset = 0 ==> begin n := 0; end;
