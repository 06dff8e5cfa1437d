-- Lamps that look alike to every rule but the last, which goes through them in their order.
type
  lamp: scalarset(3);
  room: 1..2;
var
  lit: array[lamp] of boolean;
  open: array[room] of boolean;
  gap: boolean;

startstate "dark"
  for l: lamp do lit[l] := false; end;
  for r: room do open[r] := false; end;
  gap := false;
end;

ruleset l: lamp do
  rule "switch" begin lit[l] := !lit[l]; end;
end;

ruleset r: room do
  rule "door" begin open[r] := !open[r]; end;
end;

rule "shut all" exists r: room do open[r] end ==> for r: room do open[r] := false; end; end;

rule "look"
  var seen: boolean;
begin
  seen := false;
  for l: lamp do
    if lit[l] then seen := true;
    elsif seen then gap := true;
    end;
  end;
end;
