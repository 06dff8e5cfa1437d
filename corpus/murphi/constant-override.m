-- A constant that the command line changes.
-- expect: holds
-- define: N=5
-- states: 5
-- rules: 5

const N: 2; Half: N / 2;
type Index: 0..N - 1;
var at: Index;
startstate begin at := Half; end;
rule "next" begin at := (at + 1) % N; end;
