chan c = [1] of { byte };
active proctype A(chan d) { d!1, 2, 3 }
