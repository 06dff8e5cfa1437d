active proctype A() { break }
