type S: scalarset(2);
var r: record owner: S; busy: boolean; end;
startstate clear r; end;
rule begin r.busy := !r.busy; end;
