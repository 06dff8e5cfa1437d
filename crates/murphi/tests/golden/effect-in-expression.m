-- Functions that change something, called where no order of evaluation is defined.
type Node: scalarset(2);
var
  count: 0..9;
  seen: array [Node] of boolean;
  inbox: multiset [2] of Node;

function draw(): boolean;
begin
  count := count + 1;
  return true;
end;

function mark(n: Node): boolean;
begin
  seen[n] := true;
  return true;
end;

function small(n: Node): boolean;
begin
  assume count < 5;
  return true;
end;

startstate
  count := 0;
  undefine inbox;
  for n: Node do seen[n] := false; end;
end;

rule "guard" draw() ==> begin end;

ruleset n: Node do
  alias fine: small(n) do
    rule "alias" fine ==> begin end;
  end;
end;

rule "body"
  -- Here there is an order: from left to right.
  draw() | count > 3
==>
begin
  if exists n: Node do mark(n) end then count := 0; end;
  multisetremovepred(i: inbox, mark(inbox[i]));
  if draw() & count > 3 then count := 0; end;
end;

invariant "property" draw();
