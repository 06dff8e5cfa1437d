-- An alias of an element that was taken out leads to nothing.
-- expect: violated undefined-read depth 1
-- deadlock: off
type R: record f: 0..1; end;
var m: multiset [2] of R; x: 0..1;
startstate
var r: R;
begin undefine m; r.f := 1; multisetadd(r, m); x := 0; end;
choose e: m do
  rule "take" true ==> begin
    alias it: m[e] do
      multisetremove(e, m);
      x := it.f + 0;
    end;
  end;
end;
