-- Two clerks add to one account by reading the balance, adding and writing it back: one deposit can get lost.
-- The answer is a counterexample of four steps.
-- expect: violated invariant "no deposit is lost" depth 4
-- agrees: rumur 2022.08.20

type
  Clerk: scalarset(2);
  Money: 0..2;

var
  balance: Money;
  deposited: Money;
  note: array [Clerk] of Money;     -- what the clerk read; undefined before
  done: array [Clerk] of boolean;

ruleset c: Clerk do
  rule "read" !done[c] & isundefined(note[c]) ==>
  begin
    note[c] := balance;
  end;

  rule "write" !done[c] & !isundefined(note[c]) ==>
  begin
    balance := note[c] + 1;
    deposited := deposited + 1;
    done[c] := true;
  end;

  rule "rest" done[c] ==>
  begin
  end;
end;

startstate "nothing deposited"
begin
  balance := 0;
  deposited := 0;
  for c: Clerk do
    undefine note[c];
    done[c] := false;
  end;
end;

invariant "no deposit is lost" balance = deposited;
