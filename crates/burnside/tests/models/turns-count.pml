#ifndef N
#define N 3
#endif
