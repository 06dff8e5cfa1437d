active proctype A() {
	skip;
	byte a[2] = { 1, 2 };
	a[0] = 3
}
