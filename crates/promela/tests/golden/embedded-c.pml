c_decl { int counter; };
byte x;
active proctype A() {
	c_code { counter++; };
	c_expr { counter > 3 };
	x = 1
}
