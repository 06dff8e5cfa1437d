// A thread that polls does not starve the one that fails, and one that looks at watched memory waits for it.
// expect: assertion
// expect watched -DWORKS: holds
// expect watched -DTWO: holds
// expect watched -DSPINLOCK: holds
// expect watched -DNEVER: deadlock
// expect watched -DCOUNTED: assertion
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

static atomic_int done, other, lock;
static int shared;

static void enter(void)
{
    while (atomic_exchange(&lock, 1))
        ;
}

static void *work(void *unused)
{
#if defined WORKS
    atomic_store(&done, 1);
#elif defined TWO
    atomic_store(&other, 1);
    atomic_store(&done, 1);
#elif defined SPINLOCK
    enter();
    shared++;
    atomic_store(&lock, 0);
#elif defined COUNTED
    atomic_store(&done, 1);
#elif !defined NEVER
    sched_yield();
    assert(0);
#endif
    return 0;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
#if defined TWO
    while (!atomic_load(&done) || !atomic_load(&other))
        ;
#elif defined SPINLOCK
    enter();
    shared++;
    atomic_store(&lock, 0);
#elif defined COUNTED
    int n = 0;
    while (!atomic_load(&done) && n < 3)
        n++;
    assert(n < 3);
#else
    while (!atomic_load(&done))
        sched_yield();
#endif
    pthread_join(thread, 0);
#ifdef SPINLOCK
    assert(shared == 2);
#endif
    return 0;
}
