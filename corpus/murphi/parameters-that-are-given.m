-- Guards that leave one value of a parameter at most: a constant, what another parameter is, what the state says, which may
-- be no value of the parameter; and parameters for which that is known only behind them.
-- expect: holds
-- states: 8168
-- rules: 21064
-- deadlock: off
const
  N: 2;
type
  Node: scalarset(N);
  Port: 1..3;
  Wide: 0..4;
  Box: record dest: Node; kind: Wide; full: boolean; end;
var
  box: array [Node] of array [Port] of Box;
  turn: Wide;
  got: array [Node] of 0..2;
  room: multiset [2] of Node;

startstate
begin
  for n: Node do
    got[n] := 0;
    for p: Port do box[n][p].dest := n; box[n][p].kind := 0; box[n][p].full := false; end;
  end;
  turn := 0;
end;

-- The last parameter is constant and belongs to the first conjuncts.
ruleset from: Node; dest: Node; p: Port do
  rule "send" p = 2 & !box[from][p].full & from != dest & got[from] < 2 ==>
  begin
    box[from][p].dest := dest; box[from][p].full := true; box[from][p].kind := turn;
  end;
end;

-- The middle one is what the state says, and the first would have to follow from it.
ruleset dest: Node; from: Node; p: Port do
  rule "receive" p = 2 & dest = box[from][p].dest & box[from][p].full & got[dest] < 2 ==>
  begin
    got[dest] := got[dest] + 1; box[from][p].full := false; box[from][p].dest := from; turn := (turn + 1) % 5;
  end;
end;

-- The last follows from the first; a weight belongs dest whichever stands first.
ruleset from: Node; p: Port; dest: Node do
  rule "return" box[from][p].dest = dest & dest != from & got[dest] = 2 & p = 2 ==>
  begin
    got[dest] := 0; box[from][p].full := false; box[from][p].dest := from;
  end;
end;

-- The state says a value that is none of the parameter's.
ruleset n: Node; p: Port do
  rule "out of range" p = turn & got[n] = 2 & p = 2 + (turn - 2) ==>
  begin
    got[n] := 0; turn := 4;
  end;
end;

-- Two parameters that must be equal, and one behind them that a multiset offers.
ruleset a: Node; b: Node do
  rule "enter" a = b & got[b] = 1 & MultiSetCount(i: room, room[i] = a) = 0 & MultiSetCount(i: room, true) < 2 ==>
  begin MultiSetAdd(a, room); end;
  choose i: room do
    rule "leave" a = b & room[i] = b & got[a] = 2 ==>
    begin MultiSetRemove(i, room); end;
  end;
end;

invariant "room" MultiSetCount(i: room, true) <= 2;
invariant "each once" forall n: Node do MultiSetCount(i: room, room[i] = n) <= 1 end;
