-- Entries over two members of a set that refer to a third, some within one owner, some crossing.
-- expect: holds
-- states: 350
-- rules: 618
-- deadlock: off
type N: scalarset(3);
var m: array [N] of array [N] of N; k: array [N] of array [N] of 0..2; left: 0..3;
startstate begin for a: N do for b: N do undefine m[a][b]; k[a][b] := 0; end; end; left := 2; end;
ruleset a: N; b: N; c: N do
  rule "set" left > 0 & isundefined(m[a][b]) & (c = a | c != b) ==>
  begin m[a][b] := c; k[b][c] := 1 + (k[b][c] + 1) % 2; left := left - 1; end;
end;
ruleset a: N do
  rule "clear" left = 0 & !isundefined(m[a][a]) ==>
  begin k[m[a][a]][a] := 0; undefine m[a][a]; end; end;
invariant "diagonal" forall a: N do forall b: N do isundefined(m[a][b]) | m[a][b] = a | m[a][b] != b end end;
