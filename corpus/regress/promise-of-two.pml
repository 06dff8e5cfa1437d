// Two processes of one type promise the same, and neither reads. With one of them nothing is broken.
// expect: holds
// states: 1
// rules: 0
// deadlock: off
// with: --promises => violated assertion "xr q of P" depth 1
// with: --promises -D N=1 => holds
#ifndef N
#define N 2
#endif
chan q = [1] of { byte };
byte go;
active [N] proctype P() { byte n; xr q; go == 1; q?n }
