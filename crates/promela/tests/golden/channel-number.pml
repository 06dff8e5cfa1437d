chan c = [1] of { byte };
active proctype A() { c = 3; c++ }
