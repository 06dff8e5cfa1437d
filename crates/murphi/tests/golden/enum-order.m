type E: enum {low, mid, high};
var e: E;
startstate e := low; end;
rule e < high ==> e := e + 1; end;
