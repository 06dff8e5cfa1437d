-- The name of an element is no variable that could be undefined; asking made a model that no engine reads.
-- expect: invalid isundefined-argument
type N: scalarset(2);
var net: multiset [2] of N;
startstate begin undefine net; end;
choose i: net do rule isundefined(i) ==> begin multisetremove(i, net); end; end;
