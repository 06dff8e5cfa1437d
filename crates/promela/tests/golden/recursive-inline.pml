byte x;
inline again(n) { x = n; again(n) }
active proctype A() { again(1) }
