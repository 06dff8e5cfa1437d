// The same with an escape: Q comes to its assertion only while P has not come to its receive.
// expect: violated assertion "(g == 1)" depth 4
// with: --slim => violated assertion "(g == 1)" depth 4
byte g;
chan c = [0] of { byte };
active proctype P() { byte x; g = 1; x = 1; x = 2; c?x }
active proctype Q() { g == 1; { g = 2; assert(g == 1) } unless { c!1 } }
