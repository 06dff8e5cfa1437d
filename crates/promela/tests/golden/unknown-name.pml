byte count;
active proctype A() {
	cuont = 1;
	later = 2;
	A = 3;
	zebra == 4
}
byte later;
