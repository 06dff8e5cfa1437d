-- A loop writes where a permutation leads.
-- expect: holds
-- states: 12
-- rules: 84
-- deadlock: off
type P: scalarset(3);
var f: array [P] of P; g: array [P] of P;
startstate begin for p: P do f[p] := p; undefine g[p]; end; end;
ruleset p: P; q: P do rule "sw" p != q ==> var t: P; begin t := f[p]; f[p] := f[q]; f[q] := t; undefine g; end; end;
rule "inv" true ==> begin for p: P do g[f[p]] := p; end; end;
invariant forall p: P do isundefined(g[p]) | f[g[p]] = p end;
