var x: 0..3;
startstate x := undefined; end;
rule x = undefined ==> x := 0; end;
