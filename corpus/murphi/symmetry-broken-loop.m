-- A scalarset whose loop order matters: whoever trusts the declaration misses this.
-- expect: violated invariant "last is not marked before first" depth 2
-- agrees: rumur 2022.08.20

type Node: scalarset(3);
var marked: array [Node] of boolean; skipped: boolean;

startstate begin for n: Node do marked[n] := false; end; skipped := false; end;

ruleset n: Node do rule "mark" !marked[n] ==> begin marked[n] := true; end; end;

rule "look" var gap: boolean; begin
  gap := false;
  for n: Node do
    if !marked[n] then gap := true;
    elsif gap then skipped := true; end;
  end;
end;

invariant "last is not marked before first" !skipped;
