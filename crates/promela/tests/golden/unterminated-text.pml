active proctype A() {
	printf("never closed);
	skip
}
