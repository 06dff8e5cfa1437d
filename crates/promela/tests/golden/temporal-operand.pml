byte x;
active proctype A() { x = 1 }
ltl p { [] x == 1 }
