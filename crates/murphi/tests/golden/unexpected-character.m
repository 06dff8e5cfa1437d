var x: 0..3;
startstate x := 0; end;
rule "pay" x < 3 ==> x := x + 1 $; end;
rule "reset" x = 3 ==> x := #0; end;
