-- What stands between the parameters of a rule may fault before the last parameter is bound; that counts for every instance.
-- expect: violated undefined-read "`at` is undefined" depth 0
type P: scalarset(3);
var a, b: array [P] of boolean; at: P;
startstate begin for p: P do a[p] := false; b[p] := p = 1; end; undefine at; end;
ruleset p: P do
  alias x: a[at] do
    ruleset q: P do
      rule "use" !b[q] & x ==> begin a[p] := false; end;
    end;
  end;
  rule "set" p > 1 & !a[p] ==> begin a[p] := true; end;
  rule "flip" !b[p] ==> begin b[p] := true; end;
  rule "flop" b[p] ==> begin b[p] := false; end;
end;
