var x: 0..3;
startstate x := 0; end;
rule begin x := 3 - x; end;
/* The invariant below is not checked.
invariant "small" x < 2;
