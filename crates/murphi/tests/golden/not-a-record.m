var x: 0..3;
startstate x.low := 0; end;
rule begin x := 3 - x; end;
