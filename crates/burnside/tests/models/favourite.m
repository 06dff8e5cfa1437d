-- Walls that start in the first of two colours: only who paints meets the other one.
const
  Walls: 3;
  Days: 7000;
  Painters: 0;

type
  Colour: 0..1;
  Wall: 1..Walls;

var
  colour: array [Wall] of Colour;
  day: 0..Days;

startstate begin
  for w: Wall do colour[w] := 0; end;
  day := 0;
end;

ruleset w: Wall; c: Colour do
  rule "paint" Painters > 0 ==> begin
    colour[w] := c;
  end;
end;

rule "sleep" begin
  if day < Days then day := day + 1 else day := 0 end;
end;

invariant "some days have passed or none" day >= 0;
