-- A record at an undefined index is compared behind a conjunct that decides and costs more.
-- expect: holds
-- states: 5
-- rules: 14
-- deadlock: off

type N: scalarset(2); R: record v: 0..1; w: boolean; end;
var b: array[N] of boolean; c: array[N] of boolean; r: array[N] of R; s: R; y: N;
startstate begin for n: N do b[n] := false; c[n] := true; r[n].v := 0; r[n].w := true; end; s.v := 0; s.w := true; undefine y; end;
ruleset n: N do rule "mark" isundefined(y) ==> begin y := n; b[n] := true; end;
rule "alike" (exists o: N do b[o] & c[o] end) & r[y] = s ==> begin s.v := 1; end;
rule "again" !isundefined(y) ==> begin b[y] := false; undefine y; s.v := 0; end; end;
