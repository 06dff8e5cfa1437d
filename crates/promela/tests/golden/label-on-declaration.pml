active proctype A() {
L:	byte x;
	x = 1
}
