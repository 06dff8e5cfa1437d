-- A matrix over two sets beside a function from one to the other.
-- expect: holds
-- states: 27
-- rules: 108
-- deadlock: off
type P: scalarset(2); Q: scalarset(3);
var f: array [P] of array [Q] of boolean; g: array [Q] of P;
startstate begin for p: P do for q: Q do f[p][q] := false; end; end; undefine g; end;
ruleset p: P; q: Q do rule "own" isundefined(g[q]) ==> begin g[q] := p; f[p][q] := true; end; end;
ruleset q: Q do rule "free" !isundefined(g[q]) ==> begin f[g[q]][q] := false; undefine g[q]; end; end;
invariant forall q: Q do forall p: P do f[p][q] = (!isundefined(g[q]) & g[q] = p) end end;
