byte n = 3;
byte a[n];
active proctype A() { a[0] = 1 }
