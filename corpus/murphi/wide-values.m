-- Values that need many bits, negative ones among them.
-- expect: holds
-- states: 62
-- rules: 62
-- agrees: rumur 2022.08.20

type Wide: -1000000000..1000000000;
     Huge: 0..1073741824;
var x: Wide; y: Huge; up: boolean;
startstate begin x := -1000000000; y := 1; up := true; end;
rule "double" up & y < 1073741824 ==> begin y := y * 2; x := x + 64516129; end;
rule "peak" up & y = 1073741824 ==> begin up := false; end;
rule "halve" !up & y > 1 ==> begin y := y / 2; x := x - 64516129; end;
rule "base" !up & y = 1 ==> begin up := true; end;
invariant "power" x <= 1000000000;
