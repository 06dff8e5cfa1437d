var x: 0..3;
function f(): 0..3; begin return; end;
procedure p(); begin return 1; end;
startstate x := f(); end;
rule begin p(); return x; end;
