var x: 0..3;
startstate for i := 0 to 3 by 0 do x := i; end; end;
rule begin x := 3 - x; end;
