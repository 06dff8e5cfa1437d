-- Aliases of places and values, around statements and around rules.
-- expect: holds
-- states: 9
-- rules: 9
-- agrees: rumur 2022.08.20

type Side: enum {Left, Right};
     Cell: record full: boolean; level: 0..3; end;
var cell: array [Side] of Cell; turn: Side; moved: 0..3;

startstate begin clear cell; turn := Left; moved := 0; end;

ruleset s: Side do
  alias here: cell[s]; level: cell[s].level do
    rule "fill" turn = s & !here.full ==> begin
      alias before: level + 0; do
        level := level + 1;
        here.full := level = 3;
        moved := level - before;
        assert moved = 1 "a value alias keeps its value";
      end;
    end;
    rule "empty" turn = s & here.full ==> begin
      here.full := false;
      level := 0;
      turn := s = Left ? Right : Left;
    end;
  end;
end;
