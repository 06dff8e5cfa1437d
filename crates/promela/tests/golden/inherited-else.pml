byte x;
active proctype A() {
	if
	:: if
	   :: x == 1
	   :: else
	   fi
	:: else -> x = 2
	fi
}
