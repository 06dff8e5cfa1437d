-- Cover points inside rules.
-- expect: violated cover "wrap"
-- states: 3
-- rules: 3
-- agrees: rumur 2022.08.20

var x: 0..3;
startstate begin x := 0; end;
rule "step" begin
  x := (x + 1) % 3;
  cover x = 2 "two";
  cover x = 3 "wrap";
end;
