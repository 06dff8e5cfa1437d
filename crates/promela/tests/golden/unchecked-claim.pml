byte x;
active proctype Up() { do :: x < 3 -> x++ :: x == 3 -> x = 0 od }
ltl returns { [] (x == 3 -> <> (x == 0)) }
