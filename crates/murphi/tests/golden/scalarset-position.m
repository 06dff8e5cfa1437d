type S: scalarset(2); T: scalarset(2);
var s: S; t: T; x: 0..1;
startstate undefine s; undefine t; x := 0; end;
ruleset i: S; j: T do
  rule i = j ==> s := i; t := j; end;
  rule begin for k := i to i do x := k; end; end;
end;
