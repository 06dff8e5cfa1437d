byte a[4 / 0];
active proctype A() { a[0] = 1 }
