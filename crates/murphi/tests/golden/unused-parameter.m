var x: 0..3;
startstate x := 0; end;
ruleset i: 0..3; j: 0..3 do
  rule x = i ==> x := 3 - i; end;
end;
