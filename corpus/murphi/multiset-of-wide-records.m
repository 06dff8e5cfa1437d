-- Elements of two words each.
-- expect: holds
-- states: 151
-- rules: 386
-- deadlock: off
type P: scalarset(2); R: record i: P; v: -36028797018963968..36028797018963967; w: -36028797018963968..36028797018963967; end; B: multiset [2] of R;
var b: B; r: R; k: 0..2;
startstate begin undefine b; undefine r; k := 0; end;
ruleset p: P do rule "add" multisetcount(i: b, true) < 2 ==> begin r.i := p; r.v := k; r.w := -36028797018963968 + k; multisetadd(r, b); undefine r; end; end;
rule "k" k < 2 ==> begin k := k + 1; end;
choose i: b do rule "neg" b[i].v >= 0 ==> begin b[i].v := -b[i].v - 1; end; end;
choose i: b do rule "rem" b[i].v < 0 ==> begin multisetremove(i, b); end; end;
invariant multisetcount(i: b, b[i].w > 0) = 0;
