// Q loses its exclusive right in the middle of its `atomic` only while P has not come to its receive; R moves then or never.
// expect: violated assertion "(h == 0)" depth 8
// deadlock: off
// with: --slim => violated assertion "(h == 0)" depth 8
byte g, h, k;
chan c = [0] of { byte };
active proctype P() { byte x; g = 1; x = 1; atomic { c?x; assert(h == 0) } }
active proctype Q() { atomic { g == 1 -> k = 1; c!1; k = 0 } }
active proctype R() { end: k == 1 -> h = 1 }
