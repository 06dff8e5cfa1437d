proctype B() { skip }
byte x = run B();
active proctype A() {
	(run B()) && x == 1;
	d_step { run B() }
}
