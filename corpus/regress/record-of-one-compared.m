-- expect: violated invariant "as the last" depth 2
-- Records are compared with that of one member, so that member is not like the others.
-- deadlock: off
type N: 0..2; Rec: record u: boolean; v: 0..2; end;
var r: array [N] of Rec; same: array [N] of boolean; k: 0..3;
startstate begin for n: N do r[n].u := false; r[n].v := 0; same[n] := false; end; k := 0; end;
ruleset n: N do rule "up" r[n].v < 2 ==> begin r[n].v := r[n].v + 1; end; end;
ruleset n: N do rule "look" r[n] = r[2] ==> begin same[n] := true; end; end;
ruleset n: N do rule "look back" !same[n] & r[2] = r[n] & r[2].v = 2 ==> begin same[n] := true; end; end;
rule "mark" !r[0].u ==> begin r[0].u := true; end;
invariant "as the last" !(same[2] & r[2].v = 1);
