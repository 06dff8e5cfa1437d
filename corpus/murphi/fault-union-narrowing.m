-- The home address is no node.
-- expect: violated value-out-of-range depth 1

type Node: scalarset(2);
     Address: union {enum {Home}, Node};
var at: Address; node: Node;
startstate begin at := Home; undefine node; end;
ruleset n: Node do rule "move" begin at := n; end; end;
rule "store" !isundefined(node) ==> begin undefine node; end;
rule "narrow" isundefined(node) ==> begin node := at; end;
