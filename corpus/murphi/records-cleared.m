-- Records within records set to their least values, whatever lies in front of a field.
-- expect: holds
-- states: 22
-- rules: 55
-- deadlock: off

type N: scalarset(2); S: record p: N; q: 2..5; end; R: record v: 1..3; w: boolean; s: S; l: array[0..1] of S; end;
var r: R; a: array[N] of R; t: 0..1;
startstate begin undefine r; undefine a; t := 0; for n: N do a[n].s.p := n; end; end;
rule "clear" t = 0 ==> begin clear r; t := 1; end;
ruleset n: N do rule "clear one" t = 1 ==> begin clear a[n]; t := 0; end;
rule "again" t = 1 ==> begin undefine a[n]; undefine r; end; end;
invariant "least" t = 0 | isundefined(r.v) | (r.v = 1 & !r.w & r.s.q = 2 & r.l[1].q = 2);
