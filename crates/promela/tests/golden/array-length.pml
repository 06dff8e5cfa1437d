byte a[0];
int b[2000000];
byte c[2] = { 1, 2, 3 };
active proctype A() { a[0] = 1 }
