byte x;
proctype A() { x = 1 }
