byte x;
active proctype A() {
	x = 1;
L:	goto M;
M:	goto L
}
