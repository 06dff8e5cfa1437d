-- What an alias stands for does not change when the index it was written with does.
-- expect: holds
-- states: 19
-- rules: 18
-- deadlock: off
type N: scalarset(3); var a: array [N] of 0..2; y: N; z: N;
startstate begin for n: N do a[n] := 0; end; end;
ruleset n: N; o: N do rule "start" n != o & isundefined(y) ==> begin y := n; z := o; end; end;
rule "go" !isundefined(y) & a[y] < 2 ==>
begin alias e: a[y] do
  alias f: a[z] do y := z; e := e + 1; if f < e then f := e; end; z := y; end; end; end;
invariant isundefined(y) | a[y] <= a[z];
