var
  x: boolean;
startstate x := false; end;
rule begin x := !x; end;
invariant "same name" true;
invariant "same name" x = x;
