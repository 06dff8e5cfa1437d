active proctype A() { do :: skip od }
