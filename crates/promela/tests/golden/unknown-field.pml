typedef T { byte a; byte b };
T t;
active proctype A() { t.c = 1 }
