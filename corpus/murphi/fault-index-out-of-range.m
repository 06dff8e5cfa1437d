-- The walker leaves the board.
-- expect: violated index-out-of-range depth 3
-- agrees: rumur 2022.08.20

type Square: 0..2;
var visited: array [Square] of boolean;
    at: 0..9;
startstate begin clear visited; at := 0; end;
rule "walk" begin at := at + 1; visited[at] := true; end;
