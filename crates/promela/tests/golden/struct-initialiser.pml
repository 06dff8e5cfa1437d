typedef T { byte a };
T t = 3;
active proctype A() { t.a = 1 }
