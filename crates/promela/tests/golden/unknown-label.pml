active proctype A() { goto done }
active proctype B() { done: skip }
ltl p { [] !A@nowhere }
