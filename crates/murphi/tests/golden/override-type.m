-- load: Mode=1
type E: enum {fast, slow};
const Mode: fast;
var x: E;
startstate x := Mode; end;
rule begin x := slow; end;
