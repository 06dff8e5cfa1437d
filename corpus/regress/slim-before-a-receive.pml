// Q takes the `else` only while P has not come to its receive. Joining `x = 1` to `g = 1` would leave no such state.
// expect: violated assertion "(false)" depth 4
// with: --slim => violated assertion "(false)" depth 4
byte g;
chan c = [0] of { byte };
active proctype P() { byte x; g = 1; x = 1; c?x }
active proctype Q() { g == 1; if :: c!1 :: else -> assert(false) fi }
