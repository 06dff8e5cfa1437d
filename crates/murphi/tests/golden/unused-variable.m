var x: 0..3; spare: 0..3;
startstate x := 0; end;
rule begin x := 3 - x; end;
