var x: 0..3;
startstate x := 0; end;
rule x < 3 ==> x := x + 1; end;
pctl [ true UNTIL <= 11 (x = 2) ] <= 1;
