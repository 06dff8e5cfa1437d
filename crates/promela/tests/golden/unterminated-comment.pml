byte x; /* the rest is gone
active proctype A() { x = 1 }
