var x: 0..20;
startstate x := 010; end;
rule begin x := 20 - x; end;
