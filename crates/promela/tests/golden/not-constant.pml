byte n;
byte a[n + 1];
active [n] proctype A() { a[0] = 1 }
