chan c = [1] of { byte };
byte x;
active proctype A() { !full(c); x = empty(c) + 1 }
