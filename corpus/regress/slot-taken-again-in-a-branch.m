-- As slot-taken-again.m, but the elements are taken out in a branch.
-- expect: violated empty-slot depth 2
-- deadlock: off
type Node: scalarset(2);
var net: multiset [2] of Node; picked: Node; seen: Node;
startstate begin undefine net; undefine picked; undefine seen; for n: Node do multisetadd(n, net); end; end;
ruleset n: Node do rule "pick" isundefined(picked) ==> begin picked := n; end; end;
choose m: net do
  rule "bounce" !isundefined(picked) & isundefined(seen) & net[m] = picked ==> begin
    if multisetcount(k: net, true) = 2 then
      multisetremovepred(k: net, true);
      multisetadd(picked, net);
    end;
    seen := net[m];
  end;
end;
