-- Multisets of one type, one for each member and two for all, between which elements move and which are exchanged whole.
-- expect: holds
-- states: 38
-- rules: 57
-- deadlock: off
type N: scalarset(3); B: multiset [3] of N;
var m: B; w: B; k: array [N] of B; t: 0..4;
startstate begin undefine m; undefine w; for n: N do undefine k[n]; end; t := 0;
  for n: N do multisetadd(n, m); end; end;
choose i: m do
  rule "move" t < 4 ==>
  begin multisetadd(m[i], k[m[i]]); multisetremove(i, m); t := t + 1; end; end;
ruleset n: N do
  choose i: k[n] do
    rule "back" t < 4 ==>
    begin multisetadd(k[n][i], w); multisetremove(i, k[n]); t := t + 1; end; end; end;
rule "swap" t < 4 & multisetcount(i: w, true) > 0 ==> var l: B; begin l := w; w := m; m := l; t := t + 1; end;
invariant forall n: N do multisetcount(i: m, m[i] = n) + multisetcount(i: w, w[i] = n) + multisetcount(i: k[n], true) = 1 end;
