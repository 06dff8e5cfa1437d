var x: 0..3; n: 0..3;
startstate x := 0; n := 2; end;
ruleset i := 0 to n do
  rule begin x := i; end;
end;
rule const K: n + 1; var l: 0..n; begin l := 0; for i := 0 to 3 by n do x := K; end; end;
