#ifndef N
#error give the number of nodes with N
#endif
byte x;
active proctype A() { x = 1 }
