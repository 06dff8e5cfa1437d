byte x;
active proctype A() { x.a = 1 }
