typedef T { byte a };
T t, u;
byte x;
active proctype A() { t = u; x = t; t++ }
