var x: 0..3;
procedure reset(); begin x := 0; end;
startstate reset(); end;
rule begin x := reset(); end;
