-- A loop that returns at one member, or assumes something wrong at another.
-- expect: violated invariant depth 3
-- deadlock: off
type N: scalarset(2); var a: array[N] of boolean; q: array[N] of boolean; x: boolean; t: 0..2;
procedure p(); begin for n: N do if a[n] then return; end; assume !q[n]; end; end;
startstate begin for n: N do a[n] := false; q[n] := false; end; x := false; t := 0; end;
ruleset n: N do
  rule "a" t = 0 ==>
  begin a[n] := true; t := 1; end; rule "q" t = 1 & !a[n] ==>
  begin q[n] := true; t := 2; end; end;
rule "use" t = 2 ==> begin p(); x := true; end;
invariant !x;
