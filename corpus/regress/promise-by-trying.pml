// Nobody ever reads here, and yet the promise is broken: whoever waits at an empty channel tries to read from it, and asking
// whether it is empty reads, too. A promise of writing is not touched by `nempty`.
// expect: holds
// states: 4
// rules: 3
// deadlock: off
// with: --promises => violated assertion "xr q of Reader" depth 2
chan q = [2] of { byte };
chan r = [2] of { byte };
active proctype Reader() { byte n; xr q; xs r; q?n }
active proctype Waits() { byte n; nempty(r); q?n }
active proctype Asks() { if :: nempty(r) -> skip :: true -> empty(q) fi }
