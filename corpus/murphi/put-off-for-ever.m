-- Everybody writes a bit of their own again and again. Whoever puts steps off and does not come back to them goes round
-- in the first process's circle and never sees the second one write.
-- expect: violated invariant "silent" depth 1
-- with: --property silence => violated ltl "silence"
-- with: --property silent --partial-order on => violated invariant "silent"
-- with: --property silence --partial-order on => violated ltl "silence"
-- with: --property silent --partial-order on --symmetry off --search dfs => violated invariant "silent"

const N: 2;
type Proc: 1..N;
var w: array [Proc] of 0..1; pc: array [Proc] of 0..2;
startstate begin for p: Proc do w[p] := 0; pc[p] := 0; end; end;
ruleset p: Proc do
  rule "one" pc[p] = 0 ==> begin pc[p] := 1; w[p] := 1; end;
  rule "two" pc[p] = 1 ==> begin pc[p] := 2; w[p] := 0; end;
  rule "back" pc[p] = 2 ==> begin pc[p] := 0; w[p] := 0; end;
end;
invariant "silent" w[N] = 0;
ltl "silence" [] w[N] = 0;
