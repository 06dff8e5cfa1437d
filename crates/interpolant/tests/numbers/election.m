-- Everybody announces its number once; the greatest so far leads.
const N: 10;
type
  Node: 1..N;
var
  announced: array [Node] of boolean;
  leader: 0..N;
startstate begin leader := 0; for n: Node do announced[n] := false; end; end;
ruleset n: Node do
  rule "announce" !announced[n] ==> begin if n > leader then leader := n; end; announced[n] := true; end;
end;
invariant "somebody" forall n: Node do announced[n] -> leader > 0 end;
