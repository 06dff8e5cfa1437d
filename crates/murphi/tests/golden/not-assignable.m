const N: 3;
type S: scalarset(2);
var x: 0..3;
procedure p(a: 0..3); begin a := 1; end;
startstate N := 1; x := 0; end;
ruleset i: 0..3 do
  rule begin i := 2; alias two: x + x; do two := 4; end; clear x + 1; p(i); end;
end;
