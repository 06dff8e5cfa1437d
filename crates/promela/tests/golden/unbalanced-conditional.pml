byte x;
#endif
#ifdef N
#else
#else
active proctype A() { x = 1 }
