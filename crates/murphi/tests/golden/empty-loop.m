var x: 0..3;
startstate x := 0; for i := 3 to 1 do x := i; end; end;
rule begin x := 3 - x; for i := 0 to 3 by -1 do x := i; end; end;
