var x: 0..3;
startstate x := 0; endrule;
rule x < 3 ==>
  if x = 0 then
    x := 1;
endrule;
end;
