var x: 0..3; b: boolean;
startstate x := 0; b := true; end;
rule 0 < x < 3 ==> x := x + 1; end;
rule b -> b -> b ==> b := !b; end;
rule begin x := b ? 1 : x = 1 ? 2 : 3; end;
