-- A machine that can break down and cannot be repaired.
var
  state: enum {ready, busy, broken};

startstate "switch on" state := ready; end;

rule "work" state = ready ==> state := busy; end;
rule "finish" state = busy ==> state := ready; end;
rule "break" state = busy ==> state := broken; end;
rule "rust" state = broken ==> end;

liveness "ready again" state = ready;
