var
  half: 0..10;

ruleset n: 0..2 do
  startstate "divide" half := 10 / (2 - n); end;
end;

rule begin half := 10 - half; end;
