// --acceptance
byte x;
active proctype Up() { do :: x < 3 -> x++ :: x == 3 -> progress: x = 0 od }
