-- Calls nested as deep as they may be, and no deeper.
-- expect: holds
-- states: 3
-- rules: 3
-- deadlock: off

var x: 0..9999;
function down(k: 0..9999): 0..9999; begin if k = 0 then return 0; end; return down(k - 1); end;
startstate begin x := 9998; end;
rule "up" x = 9998 ==> begin x := 9999; end;
rule "far" x = 9999 ==> begin x := down(x); end;
rule "again" x = 0 ==> begin x := 9998; end;
