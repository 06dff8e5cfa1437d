// Clients share one resource that a server hands out: a model to begin with.
//
// The lines below say what `burnside test` expects; `burnside test --bless` writes them anew when the model changes.
// expect: holds

#define N 3

chan request = [0] of { pid, chan };
chan back = [0] of { pid };
byte using = 0;

active [N] proctype Client() {
  chan reply = [0] of { bit };
end:
  do
  :: request!_pid, reply;
     reply?1;
     using++;
     assert(using == 1);
     using--;
     back!_pid
  od
}

active proctype Server() {
  pid who;
  chan to;
end:
  do
  :: request?who, to;
     to!1;
     back?eval(who)
  od
}
