#if 3 +
byte x;
#elif 1 / 0
#endif
byte y;
active proctype A() { y = 1 }
