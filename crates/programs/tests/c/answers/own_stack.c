// A thread that waits for a variable on its own stack, of which nobody else is known to have the address yet.
// expect watched -DFLAG: holds
// expect watched -DNEVER: deadlock
// expect watched -DTWO: holds
// expect watched -DLONG: holds
#include <pthread.h>
#include <stdatomic.h>

static _Atomic(atomic_int *) slot;

static void *work(void *unused)
{
    atomic_int *flags;
    while (!(flags = slot))
        ;
#ifndef NEVER
    flags[0] = 1;
#endif
#ifdef TWO
    flags[1] = 1;
#endif
    return 0;
}

int main(void)
{
    pthread_t thread;
    atomic_int flags[2] = {0, 0};
    pthread_create(&thread, 0, work, 0);
#ifdef LONG
    // Many accesses before that are no waiting.
    volatile long numbers[64] = {0};
    for (int i = 0; i < 20000; i++)
        numbers[i % 64] += numbers[(i + 1) % 64] + i;
#endif
    slot = flags;
    while (!flags[0])
        ;
#ifdef TWO
    while (!flags[1])
        ;
#endif
    pthread_join(thread, 0);
    return 0;
}
