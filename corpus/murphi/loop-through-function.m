-- A loop writes where two members may lead: the last one wins.
-- expect: holds
-- states: 8
-- rules: 40
-- deadlock: off
type P: scalarset(2);
var f: array [P] of P; g: array [P] of P;
startstate begin for p: P do f[p] := p; undefine g[p]; end; end;
ruleset p: P; q: P do rule "s" true ==> begin f[p] := q; undefine g; end; end;
rule "inv" true ==> begin for p: P do g[f[p]] := p; end; end;
invariant forall p: P do isundefined(g[p]) | f[g[p]] = p end;
