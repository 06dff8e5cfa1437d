// What is not controlled is never `holds` and never `violated`.
// expect -DCANCEL: inconclusive
// expect -DSIGNAL: inconclusive
// expect -DTIMER: inconclusive
// expect -DSYSTEM: inconclusive
// expect -DRANDOM: inconclusive
// expect -DFORK: inconclusive
// expect -DSTREAM: inconclusive
// expect -DATOMIC: inconclusive
// expect -DPIPE: assertion
// expect -DPIPE_BLOCKS: deadlock
// expect -DPIPE_WORKS: holds
// expect -DKERNEL: inconclusive
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static atomic_int count;
static int ends[2];

static void *work(void *number)
{
    pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m);
#ifdef ATOMIC
    int seen = count;
    count = seen + 1;
#endif
#if defined PIPE || defined PIPE_WORKS
    char c = (char)(long)number;
    write(ends[1], &c, 1);
#endif
#ifdef KERNEL
    long result;
    register long none asm("r10") = 0;
    asm volatile("syscall" : "=a"(result) : "a"(202), "D"(&count), "S"(0), "d"(0), "r"(none) : "rcx", "r11", "memory");
#endif
    return 0;
}

int main(void)
{
    pthread_t a, b;
    pipe(ends);
    pthread_create(&a, 0, work, (void *)1L);
    pthread_create(&b, 0, work, (void *)2L);
#if defined CANCEL
    pthread_cancel(a);
#elif defined SIGNAL
    sigset_t set;
    int number;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    sigwait(&set, &number);
#elif defined TIMER
    timer_t timer;
    timer_create(CLOCK_MONOTONIC, 0, &timer);
#elif defined SYSTEM
    system("true");
#elif defined RANDOM
    unsigned char byte;
    getrandom(&byte, 1, 0);
    assert(byte != 7);
#elif defined FORK
    if (fork() == 0)
        _exit(0);
    wait(0);
#elif defined STREAM
    flockfile(stdout);
    funlockfile(stdout);
#elif defined PIPE || defined PIPE_WORKS || defined PIPE_BLOCKS
    char c;
    read(ends[0], &c, 1);
#ifdef PIPE
    assert(c == 1);
#endif
#endif
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
