active proctype A(byte n) { n = 1 }
