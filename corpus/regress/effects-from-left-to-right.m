-- Calls that write happen from left to right; what stands to the left of one is evaluated before it, undefined or not.
-- expect: holds
-- states: 3
-- rules: 2
-- deadlock: off
type Node: scalarset(2); Who: union {Node, enum {Home}};
  Pair: record a: 0..3; b: Node; end; Bag: multiset [2] of Pair;
var owner: Node; other: Node; any: Who; pair: Pair; same: Pair; bags: array [0..3] of Bag; count: 0..3;
  who: array [0..3] of Who; narrow: array [0..3] of Node; done: boolean;

function take(n: Node): Node; begin owner := n; return n; end;
function release(n: Node): Node; begin undefine owner; return n; end;
function tick(): 0..3; begin count := count + 1; return count; end;
function change(): Pair; begin pair.a := 3; return pair; end;
function fill(): 0..3; begin pair.a := 2; return 1; end;
function move(): 0..3; begin any := Home; return 2; end;

startstate begin
  undefine owner; undefine other; any := Home; pair.a := 0; undefine pair.b; same := pair; undefine bags;
  count := 0; undefine who; undefine narrow; done := false;
end;

ruleset n: Node do
  rule "go" !done ==> var yes: boolean; number: 0..9; begin
    -- The owner is looked at before it is taken, and that it is undefined is no fault.
    yes := owner = take(n); assert !yes & owner = n;
    yes := owner = release(n); assert yes & isundefined(owner);
    yes := take(n) = owner; assert yes;
    yes := owner != take(n); assert !yes;
    -- Branches of different types.
    number := count = 0 ? 7 : tick(); assert number = 7 & count = 0;
    number := count = 0 ? tick() : 7; assert number = 1 & count = 1;
    number := tick() > 2 ? tick() : tick() + 1; assert number = 4 & count = 3;
    -- Whole records.
    yes := pair = change(); assert !yes & pair.a = 3;
    yes := change() = pair; assert yes;
    -- An element, and the multiset it goes to.
    pair.a := 1; multisetadd(pair, bags[fill()]);
    assert multisetcount(i: bags[1], bags[1][i].a = 1) = 1 & pair.a = 2;
    -- The right side comes first.
    count := 0; bags[tick()] := bags[tick()]; assert count = 2 & multisetcount(i: bags[2], true) = 1;
    any := n; narrow[move()] := any; assert narrow[2] = n & any = Home;
    done := true;
  end;
end;
invariant "nothing else" done | count = 0;
