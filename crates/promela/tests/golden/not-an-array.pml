byte x, i;
active proctype A() { x[1] = 2; for (i in x) { skip } }
