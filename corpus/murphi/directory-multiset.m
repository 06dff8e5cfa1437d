-- A directory that asks for a line back through a network without order.
-- expect: holds
-- states: 20
-- rules: 30

const Nodes: 2;
type Node: scalarset(Nodes);
     Home: enum {Directory};
     Address: union {Home, Node};
     Kind: enum {Get, Give, Recall};
     Message: record kind: Kind; from, dest: Address; end;
var net: multiset [Nodes + 2] of Message;
    owner: Node;
    waiting: Node;
    holds: array [Node] of boolean;
    asked: array [Node] of boolean;

procedure post(kind: Kind; from: Address; dest: Address);
var message: Message;
begin
  message.kind := kind;
  message.from := from;
  message.dest := dest;
  MultisetAdd(message, net);
end;

ruleset n: Node do
  rule "ask" !holds[n] & !asked[n] ==> begin asked[n] := true; post(Get, n, Directory); end;
end;

choose m: net do
  rule "directory gets" net[m].dest = Directory & net[m].kind = Get & isundefined(waiting) ==>
  var from: Node;
  begin
    from := net[m].from;
    MultisetRemove(m, net);
    if isundefined(owner) then
      owner := from;
      post(Give, Directory, from);
    else
      waiting := from;
      post(Recall, Directory, owner);
    end;
  end;

  rule "directory gets back" net[m].dest = Directory & net[m].kind = Give ==> begin
    owner := waiting;
    undefine waiting;
    MultisetRemove(m, net);
    post(Give, Directory, owner);
  end;

  ruleset n: Node do
    rule "node gets line" net[m].dest = n & net[m].kind = Give ==> begin
      holds[n] := true; asked[n] := false;
      MultisetRemove(m, net);
    end;
    rule "node gives back" net[m].dest = n & net[m].kind = Recall & holds[n] ==> begin
      holds[n] := false;
      MultisetRemove(m, net);
      post(Give, n, Directory);
    end;
  end;
end;

startstate begin
  undefine net; undefine owner; undefine waiting;
  for n: Node do holds[n] := false; asked[n] := false; end;
end;

invariant "one holder" forall a: Node do forall b: Node do holds[a] & holds[b] -> a = b end end;
invariant "room" MultisetCount(m: net, true) <= Nodes + 1;
