type A: 0..2; B: 0..5;
var x: A;
procedure bump(var b: B); begin b := b + 1; end;
startstate x := 0; end;
rule begin bump(x); bump(x + 1); end;
