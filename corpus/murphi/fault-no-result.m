-- A function that forgets a case.
-- expect: violated no-result depth 3
-- agrees: rumur 2022.08.20

type Colour: enum {Red, Green, Blue};
var c: Colour;
function next(colour: Colour): Colour;
begin
  switch colour
    case Red: return Green;
    case Green: return Blue;
  end;
end;
startstate begin c := Red; end;
rule "next" begin c := next(c); end;
