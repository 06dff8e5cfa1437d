mtype = { red };
typedef T { byte a };
byte x;
active proctype A() {
	red[1] = 2;
	len(red) == 1;
	x = T
}
ltl p { _pid == 1 }
