var x: 0..3;
startstate x := 0; end;
rule x ==> if x + 1 then x := 0; end; end;
invariant "some" exists i: 0..3 do i end;
