-- A token goes round, and whoever has it may work. Everybody who waits is served, whatever the others do.
--
-- No fairness is needed: nothing but the holder's work can go on for ever without it. The states that can be rotated into
-- one another are visited once, also for the formulas about single processes.
-- expect: holds
-- states: 36
-- rules: 72

const
  N: 3;

type
  Proc: ringset(N);
  Local: enum { Idle, Trying, Critical };

var
  token: Proc;
  loc: array [Proc] of Local;

ruleset k: Proc do
  startstate
  begin
    token := k;
    for p: Proc do loc[p] := Idle; end;
  end;
end;

ruleset p: Proc do
  rule "try" loc[p] = Idle ==> begin loc[p] := Trying; end;
  rule "enter" loc[p] = Trying & token = p ==> begin loc[p] := Critical; end;
  rule "leave" loc[p] = Critical ==> begin loc[p] := Idle; token := next(p); end;

  -- About every execution.
  ltl "served" [] (loc[p] = Trying -> <> loc[p] = Critical);
  -- About states: from everywhere the process can get in, and until it has tried it is not in.
  ctl "possible" AG EF loc[p] = Critical;
  ctl "tries first" A [loc[p] != Critical weakuntil loc[p] = Trying];
end;
