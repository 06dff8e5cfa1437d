byte x;
active proctype A() { x!1; x?_ }
