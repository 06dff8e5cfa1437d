-- The third rule waits for c, and is not enabled before; but what stands in front of that in its guard faults once the
-- second has fired, and the first puts an end to that. So the second must come in where the third is waited for.
-- expect: violated undefined-read depth 1
-- deadlock: off
-- with: --partial-order on => violated undefined-read

var a: 0..1; b: 0..1; c: boolean; d: boolean;
startstate begin a := 0; b := 0; c := false; d := false; end;
rule "first" !d ==> begin d := true; a := 1; end;
rule "second" !d & b = 0 ==> begin undefine b; end;
rule "third" b = 0 & c ==> begin c := false; a := 0; end;
