var r: record head: 0..3; tail: 0..3; end;
startstate r.head := 0; r.tial := 0; end;
rule begin r.head := 3 - r.head; end;
