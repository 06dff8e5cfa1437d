var r: record a: 0..1; end;
startstate undefine r; end;
rule isundefined(r) ==> r.a := 0; end;
