byte i;
active proctype A() { for (i : 3 .. 1) { skip } }
