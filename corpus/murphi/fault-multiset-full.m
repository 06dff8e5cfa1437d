-- A bag with room for two.
-- expect: violated multiset-full depth 3

type Value: 0..1;
var bag: multiset [2] of Value;
startstate begin undefine bag; end;
ruleset v: Value do rule "add" begin MultisetAdd(v, bag); end; end;
