byte x;
active proctype A() { d_step { { x = 1 } unless { x == 2 } } }
