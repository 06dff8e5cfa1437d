-- The same element is taken out twice.
-- expect: violated empty-slot depth 3

type Value: 0..1;
var bag: multiset [2] of Value;
startstate begin undefine bag; end;
ruleset v: Value do rule "add" MultisetCount(i: bag, true) < 2 ==> begin MultisetAdd(v, bag); end; end;
choose i: bag do
  rule "change" bag[i] = 0 ==> begin bag[i] := 1; end;
  rule "remove" MultisetCount(j: bag, bag[j] = 1) = 2 ==> begin
    MultisetRemove(i, bag);
    MultisetRemove(i, bag);
  end;
end;
