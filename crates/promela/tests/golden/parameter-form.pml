typedef T { byte a[2] };
proctype A(byte x = 1; T t) { x = 2 }
proctype B(byte y[3]) { skip }
init { skip }
