#define max(a, b) (a > b -> a : b)
byte x;
active proctype A() { x = max(1); x = max(1, 2, 3) }
