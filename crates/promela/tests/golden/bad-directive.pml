#defin N 3
#define
#undef
#ifdef
#endif
byte x;
active proctype A() { x = 1 }
