var x: 0..3;
startstate "begin
  x := 0;
end;
rule begin x := 3 - x; end;
