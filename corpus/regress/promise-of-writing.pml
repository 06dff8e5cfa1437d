// A promise that nobody else writes to a channel, kept by the writer and broken by another process in an `atomic`; SPIN
// reports it where it reduces (`xs assertion violated`), and not with -DNOREDUCE.
// expect: holds
// states: 20
// rules: 24
// with: --promises => violated assertion "xs q of Writer" depth 2
chan q = [2] of { byte };
active proctype Writer() { xs q; q!1 }
active proctype Meddler() { byte n; atomic { n = 1; if :: q!2 :: skip fi }; n = 0 }
