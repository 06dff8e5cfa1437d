byte x;
active proctype A() {
	do
	:: d_step { x = 1; break }
	:: d_step { x = 2; goto out }
	od;
out:	skip
}
