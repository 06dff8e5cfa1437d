byte x;
active proctype A() { printf("%d of %d, 100%%\n", x) }
