active proctype B() { byte v; v = 1 }
active proctype A() { d_step { B[0]:v == 1 -> skip } }
