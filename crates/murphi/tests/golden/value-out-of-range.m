var turn: 0..3; t: array[0..3] of boolean;
startstate turn := 5; t[4] := true; end;
rule begin turn := 3 - turn; end;
