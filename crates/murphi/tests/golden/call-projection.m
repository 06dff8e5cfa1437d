type R: record a: 0..1; end;
var r: R;
function copy(s: R): R; begin return s; end;
startstate r.a := 0; end;
rule copy(r).a = 0 ==> r.a := 1; end;
