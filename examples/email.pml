// Mail between N clients: one mailer, a network for two letters, and for each client a box for one letter. Every client
// starts by a step of its own, and none acts before all have. One whose box has a letter takes it out and does nothing else
// before; one with an empty box writes to anybody, itself included. A letter names the box of its writer.
//
// Clients are interchangeable, together with their boxes and with the letters that name these: nothing says so, it is
// found. Donaldson and Miller count 23,256 and 852,641 states for 3 and 4 clients, and 3,902, 36,255 and 265,315 up to
// symmetry for 3, 4 and 5 (On the constructive orbit problem, table 1).
// expect: holds
// states: 23256
// rules: 71005
// with: => holds states 3902 rules 11950
// with: -D N=4 => holds states 36255 rules 141452
#ifndef N
#define N 3
#endif

chan network = [2] of { chan, chan };
chan box[N] = [1] of { chan };
chan nobody = [0] of { chan };
byte started;

#define WRITE(to) atomic { started == N && empty(mine) && nfull(network) -> network!mine,to }

proctype Client(chan mine) {
    started++;
end:
    do
    :: atomic { started == N && nempty(mine) -> mine?_ }
    :: WRITE(box[0])
    :: WRITE(box[1])
#if N > 2
    :: WRITE(box[2])
#endif
#if N > 3
    :: WRITE(box[3])
#endif
#if N > 4
    :: WRITE(box[4])
#endif
#if N > 5
    :: WRITE(box[5])
#endif
    od
}

proctype Mailer() {
    chan from = nobody, to = nobody;
end:
    do
    :: network?from,to;
       atomic { to!from; from = nobody; to = nobody }
    od
}

init {
    atomic {
        run Mailer();
        run Client(box[0]);
        run Client(box[1]);
#if N > 2
        run Client(box[2]);
#endif
#if N > 3
        run Client(box[3]);
#endif
#if N > 4
        run Client(box[4]);
#endif
#if N > 5
        run Client(box[5]);
#endif
    }
}
