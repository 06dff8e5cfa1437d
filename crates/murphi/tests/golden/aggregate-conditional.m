type R: record a: 0..1; end;
var r, s: R;
startstate r.a := 0; s.a := 1; end;
rule begin r := r.a = 0 ? s : r; end;
