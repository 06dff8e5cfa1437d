-- Start states tie the members of two sets to each other, so that they may only be exchanged together.
-- expect: holds
-- states: 25
-- rules: 51
-- deadlock: off
type A: scalarset(3); B: scalarset(3); var home: array [A] of B; at: B; d: array [B] of boolean;
startstate begin home[1] := 2; home[2] := 3; home[3] := 1; for b: B do d[b] := false; end; end;
ruleset a: A do rule "go" isundefined(at) | at != home[a] ==> begin at := home[a]; d[at] := !d[at]; end; end;
invariant isundefined(at) | (exists a: A do home[a] = at end);
ruleset b: B do liveness d[b]; end;
