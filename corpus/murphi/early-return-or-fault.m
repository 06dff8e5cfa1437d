-- A loop that ends at the first member of one kind, or faults at one of another: which comes first is seen.
-- expect: violated division-by-zero depth 3
-- deadlock: off
type N: scalarset(2); var a: array[N] of boolean; q: array[N] of 0..1; x: boolean; t: 0..2;
function some(): boolean;
begin for n: N do if a[n] then return true; end; if 1 / q[n] > 5 then return true; end; end;
  return false; end;
startstate begin for n: N do a[n] := false; q[n] := 1; end; x := false; t := 0; end;
ruleset n: N do
  rule "a" t = 0 ==>
  begin a[n] := true; t := 1; end; rule "q" t = 1 & !a[n] ==>
  begin q[n] := 0; t := 2; end; end;
rule "use" t = 2 ==> begin x := some(); end;
