chan c = [1] of { byte };
byte a[3];
active proctype A() { for (c : 1 .. 3) { skip }; select(a[1] : 1 .. 3) }
