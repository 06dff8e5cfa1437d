byte x;
proctype A(byte n) {
	byte x;
	byte n;
	x = n
}
proctype A() { skip }
typedef T { byte a; bit a };
inline f() { skip }
inline f() { skip }
trace { do :: skip od }
init { run A(1) }
