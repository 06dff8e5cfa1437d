-- A spin lock taken with an atomic swap.
-- expect: holds
-- states: 5
-- rules: 20
-- agrees: rumur 2022.08.20

type Process: scalarset(4);
var lock: boolean;
    holder: Process;

function swap(var cell: boolean; value: boolean): boolean;
var old: boolean;
begin
  old := cell;
  cell := value;
  return old;
end;

ruleset p: Process do
  rule "try" isundefined(holder) | holder != p ==>
  var was: boolean;
  begin
    was := swap(lock, true);
    if !was then holder := p; end;
  end;
  rule "release" !isundefined(holder) & holder = p ==> begin lock := false; undefine holder; end;
end;

startstate begin lock := false; undefine holder; end;

invariant "held" lock = !isundefined(holder);
