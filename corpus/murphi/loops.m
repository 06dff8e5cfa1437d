-- Every form of loop.
-- expect: holds
-- states: 10
-- rules: 10
-- agrees: rumur 2022.08.20

type Index: 0..5; Colour: enum {Red, Green};
var total: 0..63; turn: Colour; seen: array [Colour] of boolean;

startstate begin total := 0; turn := Red; clear seen; end;

rule "ranges" total = 0 ==> begin
  for i: Index do total := total + i; end;
end;
rule "steps" total = 15 ==> begin
  for i := 0 to 5 by 2 do total := total + i; end;
  for i := 5 to 0 by -5 do total := total + i; end;
end;
rule "while" total = 26 ==>
var i: Index;
begin
  i := 5;
  while i > 0 do total := total + 1; i := i - 1; end;
end;
rule "nested" total = 31 ==> begin
  for i: 0..1 do for j: 0..1 do for c: Colour do total := total + 1; seen[c] := true; end end end;
end;
rule "return" total = 39 ==> begin
  for i: Index do
    total := i;
    if i = 0 then turn := turn = Red ? Green : Red; clear seen; return; end;
  end;
end;

invariant "values" total = 0 | total = 15 | total = 26 | total = 31 | total = 39;
