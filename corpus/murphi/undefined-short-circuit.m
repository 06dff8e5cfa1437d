-- `&`, `|` and `->` do not look at the right side when the left one decides.
-- expect: holds
-- states: 4
-- rules: 4
-- agrees: rumur 2022.08.20

var known: boolean; x: 0..2;
startstate begin known := false; undefine x; end;
rule "learn" !known ==> begin known := true; x := 0; end;
rule "count" known & x < 2 ==> begin x := x + 1; end;
rule "forget" known & x = 2 ==> begin known := false; undefine x; end;
invariant "small" !known | x <= 2;
invariant "implied" known -> x >= 0;
