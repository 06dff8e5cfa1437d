chan c = [1] of { byte, byte };
byte x;
active proctype A() { c!1; c?x; c?[x] }
