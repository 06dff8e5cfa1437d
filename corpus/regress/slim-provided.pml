// A process that stands at a statement of its own and may not move, as what it is provided for is gone: joining that statement
// to the step before would hide the deadlock.
// expect: violated deadlock depth 4
// with: --slim => violated deadlock
bool go = true;
byte y;
active proctype P() provided (go) { byte x; y = 1; x = 1; x = x + 1 }
active proctype Q() { y == 1; go = false }
