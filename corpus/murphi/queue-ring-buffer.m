-- A producer and a consumer share a ring buffer: what comes out went in, in order.
-- expect: holds
-- states: 48
-- rules: 72
-- agrees: rumur 2022.08.20

const Size: 3; Values: 4;
type Index: 0..Size - 1;
     Value: 0..Values - 1;
var cell: array [Index] of Value;
    head, tail: Index;
    count: 0..Size;
    produced, consumed: Value;

rule "produce" count < Size ==> begin
  cell[tail] := produced;
  tail := (tail + 1) % Size;
  count := count + 1;
  produced := (produced + 1) % Values;
end;

rule "consume" count > 0 ==> begin
  assert cell[head] = consumed "in order";
  undefine cell[head];
  head := (head + 1) % Size;
  count := count - 1;
  consumed := (consumed + 1) % Values;
end;

startstate begin
  undefine cell;
  head := 0; tail := 0; count := 0;
  produced := 0; consumed := 0;
end;

invariant "distance" (head + count) % Size = tail;
