-- Arithmetic, comparison, bits, shifts and the conditional.
-- expect: holds
-- states: 12
-- rules: 12
-- agrees: rumur 2022.08.20

var n: -4..7;
startstate begin n := -4; end;
rule "next" begin n := n = 7 ? -4 : n + 1; end;
invariant "division truncates" n / 3 * 3 + n % 3 = n;
invariant "remainder has the sign of the dividend" n < 0 -> n % 3 <= 0;
invariant "complement" ~n = -n - 1;
invariant "xor" (n ^ n) = 0;
invariant "shift" (n >= 0) -> (n << 2) = n * 4;
invariant "precedence" !n = 9;
invariant "implication" (n > 5) -> (n > 4);
