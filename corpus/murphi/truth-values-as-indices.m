-- Arrays with truth values as indices that hold names of nodes.
-- expect: holds
-- states: 871
-- rules: 3738
-- deadlock: off

type N: scalarset(3);
var t: array[boolean] of N; f: array[N] of array[boolean] of boolean; y: N;
startstate begin undefine y; undefine t; for n: N do for b: boolean do f[n][b] := false; end; end; end;
ruleset n: N; b: boolean do rule "set" !f[n][b] ==> begin f[n][b] := true; t[f[n][!b]] := n; end;
rule "clr" f[n][true] & f[n][false] ==> begin f[n][b] := false; y := t[b]; end; end;
