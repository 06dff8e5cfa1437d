byte a[3];
active proctype A() { a[3] = 1 }
