unsigned u;
unsigned v : 40;
byte w : 3;
active proctype A() { w = 1 }
