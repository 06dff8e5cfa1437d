-- The slot of a message that was taken out may hold another one: what its name leads to depends on the others.
-- expect: violated empty-slot depth 2
-- deadlock: off
type Node: scalarset(2);
var net: multiset [2] of Node; picked: Node; seen: Node;
startstate begin undefine net; undefine picked; undefine seen; for n: Node do multisetadd(n, net); end; end;
ruleset n: Node do rule "pick" isundefined(picked) ==> begin picked := n; end; end;
choose m: net do
  rule "bounce" !isundefined(picked) & isundefined(seen) & net[m] = picked ==> begin
    multisetremovepred(k: net, true);
    multisetadd(picked, net);
    seen := net[m];
  end;
end;
