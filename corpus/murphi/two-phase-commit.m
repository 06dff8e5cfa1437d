-- Two-phase commit without failures: all decide alike, and then nothing happens any more.
-- expect: holds
-- deadlock: off
-- states: 54
-- rules: 146
-- agrees: rumur 2022.08.20

const N: 3;
type Site: scalarset(N);
var phase: array [Site] of enum {Working, Ready, Committed, Aborted};
    decision: enum {Open, Commit, Abort};

ruleset s: Site do
  rule "vote yes" phase[s] = Working ==> begin phase[s] := Ready; end;
  rule "vote no" phase[s] = Working ==> begin phase[s] := Aborted; end;
  rule "hear commit" phase[s] = Ready & decision = Commit ==> begin phase[s] := Committed; end;
  rule "hear abort" (phase[s] = Ready | phase[s] = Working) & decision = Abort ==> begin phase[s] := Aborted; end;
end;

rule "all are ready" decision = Open & (forall s: Site do phase[s] = Ready end) ==> begin decision := Commit; end;
rule "one is not" decision = Open & (exists s: Site do phase[s] = Aborted end) ==> begin decision := Abort; end;

startstate begin
  for s: Site do phase[s] := Working; end;
  decision := Open;
end;

invariant "agreement"
  forall a: Site do forall b: Site do !(phase[a] = Committed & phase[b] = Aborted) end end;
cover "commit" forall s: Site do phase[s] = Committed end;
cover "abort" forall s: Site do phase[s] = Aborted end;
