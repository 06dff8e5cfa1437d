var x: 0..3;
procedure set(a: 0..3; b: boolean); begin if b then x := a; end; end;
startstate set(0); end;
rule begin set(1, true, 2); end;
