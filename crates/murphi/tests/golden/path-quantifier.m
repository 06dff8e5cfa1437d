-- ltl: AG EF x = 0
var x: 0..1;
startstate x := 0; end;
rule begin x := 1 - x; end;
