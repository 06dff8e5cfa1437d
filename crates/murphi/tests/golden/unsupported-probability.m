var x: 0..3;
startstate x := 0; end;
rule "heads" 0.5 ==> x := 1; end;
rule "tails" 0.5 ==> x := 2; end;
