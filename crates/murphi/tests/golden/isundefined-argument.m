var r: record a: 0..1; end; net: multiset [1] of 0..1;
startstate undefine r; end;
rule isundefined(r) ==> r.a := 0; end;
choose i: net do rule isundefined(i) ==> r.a := 0; end; end;
