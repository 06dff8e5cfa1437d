externproc log_state(x: 0..3);
var x: 0..3;
startstate x := 1; end;
rule begin log_state(x); end;
