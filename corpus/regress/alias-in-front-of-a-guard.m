-- An alias that faults does so whether or not the guard behind it would hold.
-- expect: violated undefined-read depth 0
-- deadlock: off
type Node: 0..1;
var next: array [Node] of Node; flag: array [Node] of boolean; go: boolean;
startstate begin for n: Node do flag[n] := false; end; undefine next; go := false; end;
ruleset n: Node do alias target: flag[next[n]] do rule "set" go ==> begin target := true; end; end; end;
