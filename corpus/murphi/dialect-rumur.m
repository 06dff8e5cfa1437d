-- What only Rumur's dialect has: other operators, declarations between rules, few semicolons.
-- expect: holds
-- states: 8
-- rules: 8
-- agrees: rumur 2022.08.20

const N: 3
var x: 0..N
startstate "all" begin x := 0 end
rule "flip" x == 0 && !false ==> begin x := 1 end
var done: boolean
startstate "done" begin x := 0; done := false end
rule "turn" x = 1 ∨ x = 2 ==> begin x := x + 1 end
rule "wrap" x ≥ 3 ==> begin x := 0 end
invariant x ≤ N ∧ (¬isundefined(done) → ¬done)
