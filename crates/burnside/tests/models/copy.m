var
  a: 0..1;
  b: 0..1;

startstate undefine a; b := 0; end;

rule "copy" !isundefined(b) ==> b := a; end;
rule "set" begin b := 0; end;
