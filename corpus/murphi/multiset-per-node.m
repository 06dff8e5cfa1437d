-- A bag for each node; elements are changed in place.
-- expect: holds
-- states: 36
-- rules: 132

type Node: scalarset(2);
     Age: 0..1;
var inbox: array [Node] of multiset [2] of Age;

ruleset n: Node do
  rule "deliver" MultisetCount(i: inbox[n], true) < 2 ==>
  var age: Age;
  begin age := 0; MultisetAdd(age, inbox[n]); end;

  choose i: inbox[n] do
    rule "grow old" inbox[n][i] = 0 ==> begin inbox[n][i] := 1; end;
    rule "read" inbox[n][i] = 1 ==> begin MultisetRemove(i, inbox[n]); end;
  end;
end;

startstate begin undefine inbox; end;
