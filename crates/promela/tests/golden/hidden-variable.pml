hidden chan c = [1] of { byte };
hidden bit b;
active proctype A() { hidden byte x; x = 1 }
