var x: real(6, 20); y: 0..3;
startstate x := 0.5; y := 0; end;
rule sqrt(x) < 1.5 ==> x := x * 2.0; end;
