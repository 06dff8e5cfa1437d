-- Values where other values are needed.
-- expect: invalid type-mismatch

type Colour: enum {Red, Green};
var c: Colour; b: boolean;
startstate begin c := Red; b := c; end;
rule "r" begin c := Green; end;
