var x: 0..3; b: boolean; t: array[0..3] of boolean;
startstate x := 0; b := true; end;
rule x & b ==> x := x + b; end;
rule !x ==> switch t case 0: x := 1; end; end;
