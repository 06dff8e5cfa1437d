var x: boolean;
startstate x := true; end;
rule "flip" x := !x; end;
