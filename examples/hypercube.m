-- A rumour in a hypercube: nodes are neighbours if their addresses differ in one bit.
--
-- The graph is nowhere declared. It is written down as arithmetic on addresses, and its automorphisms, 48 for a cube,
-- are found from that. With them, 21 states stand for all 255.
-- expect: holds
-- states: 255
-- rules: 4608

type
  Node: 0..7;

var
  knows: array [Node] of boolean;

function linked(p: Node; q: Node): boolean;
begin
  return (p / 4 + q / 4) % 2 + (p / 2 + q / 2) % 2 + (p + q) % 2 = 1;
end;

ruleset p: Node; q: Node do
  rule "tell" knows[p] & linked(p, q) ==>
  begin
    knows[q] := true;
  end;

  rule "forget" knows[p] & knows[q] & linked(p, q) ==>
  begin
    knows[p] := false;
  end;
end;

ruleset p: Node do
  startstate "one knows"
  begin
    for q: Node do
      knows[q] := p = q;
    end;
  end;
end;

invariant "somebody knows"
  exists p: Node do knows[p] end;
