-- Start states, rules and invariants within one ruleset; several parameters.
-- expect: holds
-- states: 27
-- rules: 189
-- agrees: rumur 2022.08.20

const N: 3;
type Index: 0..N - 1;
var at: array [Index] of Index;

ruleset i: Index do
  startstate "at i" begin for j: Index do at[j] := i; end; end;
  ruleset j: Index; k: 0..1 do
    rule "swap" i != j & at[i] != at[j] & k = 0 ==>
    var old: Index;
    begin old := at[i]; at[i] := at[j]; at[j] := old; end;
    rule "shift" k = 1 & i = j ==> begin at[i] := (at[i] + 1) % N; end;
  end;
  invariant "in range" at[i] >= 0 & at[i] < N;
end;
