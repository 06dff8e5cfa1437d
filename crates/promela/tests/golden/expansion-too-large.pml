inline a0(x) { x++; x++; x++; x++; x++; x++; x++; x++; x++; x++ }
inline a1(x) { a0(x); a0(x); a0(x); a0(x); a0(x); a0(x); a0(x); a0(x) }
inline a2(x) { a1(x); a1(x); a1(x); a1(x); a1(x); a1(x); a1(x); a1(x) }
inline a3(x) { a2(x); a2(x); a2(x); a2(x); a2(x); a2(x); a2(x); a2(x) }
inline a4(x) { a3(x); a3(x); a3(x); a3(x); a3(x); a3(x); a3(x); a3(x) }
inline a5(x) { a4(x); a4(x); a4(x); a4(x); a4(x); a4(x); a4(x); a4(x) }
inline a6(x) { a5(x); a5(x); a5(x); a5(x); a5(x); a5(x); a5(x); a5(x) }
inline a7(x) { a6(x); a6(x); a6(x); a6(x); a6(x); a6(x); a6(x); a6(x) }
byte v;
active proctype A() { a7(v) }
