type P: scalarset(2); Q: enum {home}; N: union {P, Q}; E: enum {other};
var n: N; x: 0..1;
startstate n := home; x := 0; end;
rule ismember(n, E) ==> x := 1; end;
rule ismember(n) ==> x := 1; end;
rule ismember(n, 1) ==> x := 1; end;
