byte x;
active proctype A() {
	if
	:: x == 1 -> x = 2
	::
	fi
}
active proctype B() { }
