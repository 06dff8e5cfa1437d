-- A variable of 56 bits and a sign.
-- expect: holds
-- states: 8
-- rules: 8
-- deadlock: off
var x: -36028797018963968..36028797018963967; y: 0..3;
startstate begin x := -36028797018963968; y := 0; end;
rule "n" y < 3 ==> begin x := -(x + 1); y := y + 1; end;
rule "r" y = 3 ==> begin y := 0; end;
invariant x = -36028797018963968 | x = 36028797018963967;
