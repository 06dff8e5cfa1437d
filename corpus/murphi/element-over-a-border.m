-- Elements of 13 bits, of which one lies across words and ends one bit behind.
-- expect: holds
-- states: 72
-- rules: 90
-- deadlock: off

var m: multiset[6] of 0..4093; t: 0..9; c: 0..4093;
startstate begin undefine m; t := 0; undefine c; end;
ruleset k: 0..1 do rule "add" multisetcount(i: m, true) < 6 & t < 8 ==> begin c := 4000 * k + 7 * (t % 3); multisetadd(c, m); undefine c; t := t + 1; end; end;
choose i: m do rule "take" t = 8 ==> begin multisetremove(i, m); t := 9; end; end;
rule "again" t = 9 ==> begin t := 7; end;
invariant "sum" multisetcount(i: m, m[i] > 4014) = 0;
