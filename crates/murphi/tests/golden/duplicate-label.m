var x: 0..3;
startstate x := 0; end;
rule begin switch x case 0, 1: x := 2; case 1: x := 3; else x := 0; end; end;
