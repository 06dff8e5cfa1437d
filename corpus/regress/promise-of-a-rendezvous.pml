// SPIN's `xr chans cannot be used for rv`.
// expect: holds
// states: 4
// rules: 3
// with: --promises => violated assertion "xr r of P" depth 1
chan r = [0] of { byte };
active proctype P() { byte n; xr r; r?n }
active proctype Q() { r!1 }
