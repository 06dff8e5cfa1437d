-- A transfer in two steps loses money when it is interrupted for good.
-- expect: violated invariant "money is kept" depth 2
-- agrees: rumur 2022.08.20

type Account: 0..1;
var balance: array [Account] of 0..4;
    flying: 0..4;

ruleset a: Account do
  rule "take" balance[a] > 0 & flying = 0 ==> begin balance[a] := balance[a] - 1; flying := 1; end;
  rule "put" flying > 0 & balance[a] < 4 ==> begin balance[a] := balance[a] + 1; flying := flying - 1; end;
  rule "crash" flying > 0 ==> begin flying := 0; end;
end;

startstate begin for a: Account do balance[a] := 2; end; flying := 0; end;
invariant "money is kept" balance[0] + balance[1] + flying = 4;
