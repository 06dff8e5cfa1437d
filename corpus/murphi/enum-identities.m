-- Members of an enumeration that nothing tells apart, with a loop that finds the one that is left.
-- expect: holds
-- states: 10
-- rules: 18
-- deadlock: off
type E: enum {red, green, blue}; var a: array [E] of boolean; l: E; c: 0..2;
startstate begin for e: E do a[e] := false; end; c := 0; end;
ruleset e: E do rule "t" !a[e] & c < 2 ==> begin a[e] := true; l := e; c := c + 1; end;
  rule "f" a[e] & l = e ==>
  begin a[e] := false; undefine l; for f: E do if a[f] then l := f; end; end; c := c - 1; end; end;
invariant isundefined(l) | a[l];
