byte x;
inline two() { return 2 }
active proctype A() { x = two(); two(); return 3 }
