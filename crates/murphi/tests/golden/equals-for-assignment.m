var x: boolean;
startstate x = true; end;
rule begin x := !x; end;
