-- Rules with the least number go first: repairs before work.
-- expect: holds
-- states: 6
-- rules: 7

var load: 0..4; broken: boolean;
startstate begin load := 0; broken := false; end;
rule 1 "repair" broken ==> begin broken := false; load := 0; end;
rule 2 "work" load < 4 ==> begin load := load + 1; end;
rule 2 "break" load = 3 ==> begin broken := true; end;
rule 3 "rest" load = 4 ==> begin load := 0; end;
invariant "no work while broken" broken -> load = 3;
