proctype B(byte a, b) { a = b }
init { run B(1); run B(1, 2, 3) }
