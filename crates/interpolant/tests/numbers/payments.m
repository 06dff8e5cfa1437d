-- Customers pay into one account and draw from it, once each, any amount up to a million. There are far too many
-- amounts to go through; `--engine interpolant` treats them by the interval, because all that matters is whether the
-- balance stays between its bounds.

const
  N: 3;
  Most: 1000000;

type
  Customer: 1..N;
  Amount: 1..Most;

var
  balance: 0..2 * N * Most;
  has_paid: array [Customer] of boolean;
  has_drawn: array [Customer] of boolean;

startstate begin
  balance := 0;
  for c: Customer do has_paid[c] := false; has_drawn[c] := false; end;
end;

ruleset c: Customer; amount: Amount do
  rule "pay" !has_paid[c] ==>
  begin
    balance := balance + amount;
    has_paid[c] := true;
  end;

  rule "draw" !has_drawn[c] & balance >= amount ==>
  begin
    balance := balance - amount;
    has_drawn[c] := true;
  end;
end;

invariant "covered" balance >= 0;
invariant "bounded" balance <= N * Most;
