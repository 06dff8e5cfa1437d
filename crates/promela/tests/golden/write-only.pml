byte x;
active proctype A() { x = _ }
