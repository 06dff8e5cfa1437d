active proctype A() {
	mtype = { red, green };
	skip
}
