-- Rule instances are numbered by their parameters. A parameter behind a choice among several elements begins anew for each
-- of them; else the second element's instances would be taken for others, or for none that there is.
-- expect: violated ltl "taken by the second"
-- deadlock: off
-- with: --fairness weak => holds

type P: 1..2; M: multiset [2] of record a: 0..1; end;
var m: M; took: array [P] of boolean; r: record a: 0..1; end; full: boolean;
startstate begin undefine m; for p: P do took[p] := false; end; r.a := 0; full := false; end;
rule "fill" !full ==> begin
  multisetadd(r, m);
  r.a := 1;
  multisetadd(r, m);
  full := true;
end;
choose i: m do
  ruleset p: P do
    rule "take" full & !took[p] & m[i].a = p - 1 ==> begin took[p] := true; end;
  end;
end;
rule "idle" true ==> begin r.a := 1; end;
ltl "taken by the second" <> took[2];
