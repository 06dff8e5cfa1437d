var x: 0..3;
startstate x := 0; end;
