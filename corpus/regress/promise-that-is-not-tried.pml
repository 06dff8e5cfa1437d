// What `&&` and `->` do not come to is not tried. SPIN 6.5.2 agrees, and reports the last question if `g` becomes 2.
// expect: holds
// states: 2
// rules: 1
// deadlock: off
// with: --promises => holds
// with: --promises -D LATER => violated assertion "xr q of Reader" depth 3
chan q = [2] of { byte };
byte g;
active proctype Reader() { byte n; xr q; q?n }
active proctype Asks() { byte n; n = (g == 1 -> len(q) : 0); (g == 2 && empty(q)) -> skip }
#ifdef LATER
active proctype Sets() { g = 2 }
#endif
