var x: 0..3;
rule begin x := 0; end;
