var x: 0..1;
startstate x := 0; end;
rule begin x := 1 - x; end;
ctl "again" [] EF x = 0;
