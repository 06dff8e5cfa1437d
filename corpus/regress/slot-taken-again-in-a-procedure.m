-- As slot-taken-again.m, but a procedure inside a procedure takes the elements out.
-- expect: violated empty-slot depth 2
-- deadlock: off
type Node: scalarset(2);
var net: multiset [2] of Node; picked: Node; seen: Node;
procedure empty(); begin multisetremovepred(k: net, true); end;
procedure renew(); begin empty(); multisetadd(picked, net); end;
startstate begin undefine net; undefine picked; undefine seen; for n: Node do multisetadd(n, net); end; end;
ruleset n: Node do rule "pick" isundefined(picked) ==> begin picked := n; end; end;
choose m: net do
  rule "bounce" !isundefined(picked) & isundefined(seen) & net[m] = picked ==> begin
    renew();
    seen := net[m];
  end;
end;
