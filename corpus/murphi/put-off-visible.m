-- Two steps that accord, and an invariant that sees the order in which they are taken.
-- expect: violated invariant "the first comes first" depth 1
-- with: --partial-order on => violated invariant "the first comes first"
-- with: --partial-order on --symmetry off --search dfs => violated invariant "the first comes first"

var a: boolean; b: boolean;
startstate begin a := false; b := false; end;
rule "first" !a ==> begin a := true; end;
rule "second" !b ==> begin b := true; end;
invariant "the first comes first" b -> a;
