-- Records are copied and compared with their undefined members.
-- expect: holds
-- states: 3
-- rules: 3
-- agrees: rumur 2022.08.20

type Pair: record a, b: 0..1; end;
var p, q: Pair; n: 0..2;
startstate begin undefine p; q.a := 0; undefine q.b; n := 0; end;
rule "copy" n = 0 ==> begin p := q; n := 1; end;
rule "same" n = 1 & p = q ==> begin p.b := 1; n := 2; end;
rule "other" n = 2 & p != q ==> begin undefine p; n := 0; end;
