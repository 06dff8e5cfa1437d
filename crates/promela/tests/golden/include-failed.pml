#include "missing.h"
#include
byte x;
active proctype A() { x = 1 }
