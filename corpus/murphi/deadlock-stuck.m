-- In mode `stuck` an idle loop is no deadlock, but a state without enabled rules is.
-- expect: violated deadlock depth 3
-- deadlock: stuck
-- agrees: rumur 2022.08.20

var x: 0..3; resting: boolean;
startstate begin x := 0; resting := false; end;
rule "up" x < 3 ==> begin x := x + 1; end;
rule "rest" x < 3 ==> begin resting := true; end;
