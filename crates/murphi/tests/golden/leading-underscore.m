var _count: 0..3;
startstate _count := 0; end;
rule begin _count := 3 - _count; end;
