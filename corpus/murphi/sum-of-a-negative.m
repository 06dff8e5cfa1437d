-- A sum with a negative number falls below the range.
-- expect: violated value-out-of-range depth 4
-- deadlock: off

var x: 0..3; y: 0..3; z: -3..-1;
startstate begin x := 3; y := 3; z := -1; end;
rule "z" z > -3 ==> begin z := z - 1; end;
rule "y" y > 1 ==> begin y := y - 1; end;
rule "add" true ==> begin x := y + z; end;
