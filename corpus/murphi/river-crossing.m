-- The wolf, the goat and the cabbage: the counterexample is the solution.
-- expect: violated invariant "unsolvable" depth 7
-- agrees: rumur 2022.08.20

type Bank: enum {Near, Far};
     Thing: enum {Wolf, Goat, Cabbage};
var at: array [Thing] of Bank;
    farmer: Bank;

function other(bank: Bank): Bank;
begin
  switch bank
    case Near: return Far;
    case Far: return Near;
  end;
end;

function eaten(): boolean;
begin
  return at[Goat] != farmer & (at[Wolf] = at[Goat] | at[Cabbage] = at[Goat]);
end;

rule "alone" !(other(farmer) != at[Goat] & (at[Wolf] = at[Goat] | at[Cabbage] = at[Goat])) ==> begin
  farmer := other(farmer);
end;

ruleset t: Thing do
  rule "take" at[t] = farmer ==> begin
    farmer := other(farmer);
    at[t] := farmer;
  end;
end;

startstate begin
  for t: Thing do at[t] := Near; end;
  farmer := Near;
end;

assume "nothing is eaten" !eaten();
invariant "unsolvable" exists t: Thing do at[t] = Near end;
