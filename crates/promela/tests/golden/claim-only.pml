active proctype A() { np_ -> skip }
