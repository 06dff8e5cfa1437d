-- A sum that leaves the 64-bit integers, although it is never stored.
-- expect: violated overflow depth 5
-- agrees: rumur 2022.08.20

var n: 0..4; big: boolean;
startstate begin n := 0; big := false; end;
rule "more" n < 4 ==> begin n := n + 1; end;
rule "sum" n = 4 ==> begin big := 9223372036854775807 + n > 0; end;
