type E: enum {low, high};
var e: E; x: 0..3;
function f(): 0..3; begin if x = 0 then return 1; elsif x = 1 then error "one"; end; end;
function g(): 0..3; begin switch e case low: return 0; case high: return 3; end; end;
startstate e := low; x := 0; end;
rule begin x := f(); x := g(); e := high; end;
