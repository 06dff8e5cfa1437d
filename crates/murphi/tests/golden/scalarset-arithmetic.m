type S: scalarset(3);
var s: S; x: 0..3;
startstate undefine s; x := 0; end;
ruleset i: S do
  rule isundefined(s) | s < i ==> s := i; end;
  rule begin x := i + 1; end;
end;
