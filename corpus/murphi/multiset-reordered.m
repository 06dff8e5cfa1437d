-- What is written into elements changes their order within a step.
-- expect: holds
-- states: 88
-- rules: 315
-- deadlock: off
type P: scalarset(3); R: record i: P; v: 0..2; end; B: multiset [2] of R;
var b: B; r: R; s: 0..4;
startstate begin undefine b; undefine r; s := 0; end;
ruleset p: P do rule "add" multisetcount(i: b, true) < 2 ==> begin r.i := p; r.v := 0; multisetadd(r, b); undefine r; end; end;
choose i: b do rule "inc" b[i].v < 2 ==> begin b[i].v := b[i].v + 1; b[i].i := b[i].i; s := multisetcount(j: b, b[j].v >= b[i].v); end; end;
choose i: b do choose j: b do rule "swap" b[i].v != b[j].v ==> var t: 0..2; begin t := b[i].v; b[i].v := b[j].v; b[j].v := t; end; end; end;
choose i: b do rule "rem" b[i].v = 2 ==> begin multisetremove(i, b); s := 0; end; end;
invariant s <= 2;
