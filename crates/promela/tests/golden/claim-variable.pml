byte x;
active proctype A() { x = 1 }
never { byte y; do :: x == y od }
