byte x;
active proctype A() {
	if
	:: x == 1
	:: else -> x = 1
	:: else -> x = 2
	fi
}
