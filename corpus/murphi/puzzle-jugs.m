-- Measure four litres with jugs of three and five.
-- expect: violated invariant "not four" depth 6
-- agrees: rumur 2022.08.20

var three: 0..3; five: 0..5;

rule "fill 3" begin three := 3; end;
rule "fill 5" begin five := 5; end;
rule "empty 3" begin three := 0; end;
rule "empty 5" begin five := 0; end;
rule "3 into 5" var room: 0..5; begin
  room := 5 - five;
  five := five + (three < room ? three : room);
  three := three - (three < room ? three : room);
end;
rule "5 into 3" var room: 0..3; begin
  room := 3 - three;
  three := three + (five < room ? five : room);
  five := five - (five < room ? five : room);
end;

startstate begin three := 0; five := 0; end;
invariant "not four" five != 4;
