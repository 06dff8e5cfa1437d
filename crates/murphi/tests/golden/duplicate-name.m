type A: enum {idle, busy}; B: enum {busy, done};
     R: record f: A; f: B; end;
var x: R; x: A;
startstate clear x; end;
rule begin end;
