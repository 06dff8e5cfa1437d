type S: scalarset(3);
var s: S; x: 0..4;
startstate undefine s; x := 0; end;
ruleset i: S do
  rule "order" isundefined(s) | s < i ==> s := i; end;
  rule "count" i != 3 & i <= 2 ==> begin x := i + 1; x := i; end;
end;
invariant "first" isundefined(s) | s = 1 | -s < 0;
