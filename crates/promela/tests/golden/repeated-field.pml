chan c = [1] of { byte, byte };
byte x;
active proctype A() { c?x, x }
