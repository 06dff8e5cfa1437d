-- An assertion in a rule comes before an invariant about the state it makes.
-- expect: violated assertion "not both" depth 2
-- agrees: rumur 2022.08.20

var a, b: boolean;
startstate begin a := false; b := false; end;
rule "a" begin a := !a; end;
rule "b" a ==> begin b := true; assert !(a & b) "not both"; end;
invariant "never b" !b;
