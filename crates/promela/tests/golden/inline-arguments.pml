byte x;
inline set(a, b) { a = b }
active proctype A() { set(x) }
