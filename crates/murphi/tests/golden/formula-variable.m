var x: 0..1;
startstate x := 0; end;
rule begin x := 1 - x; end;
ltl "two steps" forall i := 0 to 2 by 2 do [] (x != i | x = 0) & <> x = i end;
