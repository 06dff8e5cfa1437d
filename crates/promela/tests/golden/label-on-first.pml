byte x;
active proctype A() {
	atomic {
L:		x = 1
	};
M:	x = 2 unless { x == 3 };
	x = 4 unless N: x == 5;
	goto L
}
