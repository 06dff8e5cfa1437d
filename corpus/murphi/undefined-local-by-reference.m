-- A local that is never set is copied through a reference to it.
-- expect: violated undefined-read depth 5
-- deadlock: off

var x: 0..3; y: 0..3;
procedure copy(var l: 0..3); begin x := l; end;
procedure forget(); var l: 0..3; begin copy(l); end;
startstate begin x := 0; y := 0; end;
rule "up" y < 3 ==> begin y := y + 1; end;
rule "forget" y = 2 ==> begin forget(); end;
rule "read" y = 3 ==> begin y := x; end;
