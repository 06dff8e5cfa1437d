/* A lock of its own making on futex calls. -DLOST forgets to wake. */
#define _GNU_SOURCE
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>
static atomic_int flag;

static void *set(void *unused)
{
    (void)unused;
    sched_yield();
    atomic_store(&flag, 1);
#ifndef LOST
    syscall(SYS_futex, &flag, FUTEX_WAKE, 1, 0, 0, 0);
#endif
    return 0;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, set, 0);
    while (!atomic_load(&flag))
        syscall(SYS_futex, &flag, FUTEX_WAIT, 0, 0, 0, 0);
    pthread_join(thread, 0);
    return 0;
}
