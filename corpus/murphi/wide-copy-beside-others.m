-- Long arrays inside records, copied and forgotten at bits that begin no byte: what lies beside them stays.
-- expect: holds
-- states: 10
-- rules: 18
-- deadlock: off

type R: record v: array[0..100] of 0..6; k: boolean; end;
var r: array[0..2] of R; t: 0..3;
startstate begin t := 0; for j := 0 to 2 do for i := 0 to 100 do r[j].v[i] := (i * (j + 1) + 2) % 7; end; r[j].k := j = 1; end; end;
rule "copy" t = 0 ==> begin r[0].v := r[1].v; t := 1; end;
rule "back" t = 0 ==> begin r[1].v := r[2].v; t := 1; end;
rule "all" t = 0 ==> begin r[1] := r[2]; r[1].k := true; t := 1; end;
rule "forget" t = 1 ==> begin undefine r[1].v; t := 2; end;
rule "forget all" t = 1 ==> begin undefine r[1]; r[1].k := true; t := 2; end;
rule "new" t = 2 ==> begin for i := 0 to 100 do r[1].v[i] := (i * 2 + 1) % 7; r[0].v[i] := (i + 1) % 7; end; t := 0; end;
invariant "beside" !r[0].k & r[1].k & !r[2].k & r[2].v[0] = 2 & r[2].v[100] = 1;
invariant "gone" t != 2 | (forall i: 0..100 do isundefined(r[1].v[i]) end);
