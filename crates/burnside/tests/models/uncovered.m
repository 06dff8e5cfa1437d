var
  on: boolean;

startstate "off" on := false; end;

rule "toggle" begin on := !on; end;

cover "on" on;
cover "both" on & !on;
