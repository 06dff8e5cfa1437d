var x: 0..3;
startstate x := 0; end;
ruleset i: 0..1 do
  ruleset i: 0..2 do
    rule x = i ==> x := i + 1; end;
  end;
end;
