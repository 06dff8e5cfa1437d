-- Coins in, drinks out; money is kept.
-- expect: holds
-- states: 10
-- rules: 27
-- agrees: rumur 2022.08.20

const Price: 3; Purse: 6;
var purse, inside, till: 0..Purse;

ruleset coin: 1..2 do
  rule "insert" purse >= coin & inside + coin <= Price + 1 ==> begin
    purse := purse - coin; inside := inside + coin;
  end;
end;
rule "buy" inside >= Price ==> begin
  till := till + Price;
  inside := inside - Price;
end;
rule "return" inside > 0 ==> begin purse := purse + inside; inside := 0; end;
rule "pay day" till > 0 ==> begin purse := purse + till; till := 0; end;

startstate begin purse := Purse; inside := 0; till := 0; end;

invariant "money is kept" purse + inside + till = Purse;
