byte x = { 1, 2 };
active proctype A() { x = 1 }
