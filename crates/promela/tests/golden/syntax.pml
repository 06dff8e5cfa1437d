byte x, y;
active proctype A() {
	if
	:: x == 1
	   && y == 2 -> x = 2
	:: else
	fi;
	x = ;
	x = 1 y = 2;
	do :: x == 3 -> break fi
}
x = 3;
