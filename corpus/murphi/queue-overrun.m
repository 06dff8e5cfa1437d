-- The producer forgets to ask whether there is room.
-- expect: violated assertion "in order" depth 4
-- agrees: rumur 2022.08.20

const Size: 2; Values: 4;
type Index: 0..Size - 1;
     Value: 0..Values - 1;
var cell: array [Index] of Value;
    head, tail: Index;
    produced, consumed: Value;

rule "produce" produced != (consumed + 3) % Values ==> begin
  cell[tail] := produced;
  tail := (tail + 1) % Size;
  produced := (produced + 1) % Values;
end;

rule "consume" produced != consumed ==> begin
  assert cell[head] = consumed "in order";
  head := (head + 1) % Size;
  consumed := (consumed + 1) % Values;
end;

startstate begin
  undefine cell;
  head := 0; tail := 0;
  produced := 0; consumed := 0;
end;
