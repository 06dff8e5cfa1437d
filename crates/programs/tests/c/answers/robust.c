// A robust mutex that a waiter at a condition cannot take again: its owner ended, and the next one did not repair it.
// expect: holds
// expect -DTIMED: holds
// expect -DREPAIRED: assertion
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>

static pthread_mutex_t mutex;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static int is_ready;

static void *end_with_it(void *unused)
{
    assert(pthread_mutex_lock(&mutex) == 0);
    return 0;
}

static void *leave_it(void *unused)
{
    pthread_t thread;
    pthread_create(&thread, 0, end_with_it, 0);
    pthread_join(thread, 0);
    assert(pthread_mutex_lock(&mutex) == EOWNERDEAD);
#ifdef REPAIRED
    assert(pthread_mutex_consistent(&mutex) == 0);
#endif
    is_ready = 1;
    pthread_cond_signal(&condition);
    pthread_mutex_unlock(&mutex);
    return 0;
}

int main(void)
{
    pthread_mutexattr_t attributes;
    pthread_t thread;
    int error = 0;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(&mutex, &attributes);
    pthread_mutex_lock(&mutex);
    pthread_create(&thread, 0, leave_it, 0);
#ifdef TIMED
    struct timespec for_ever = { 1000000000000, 0 };
    error = pthread_cond_timedwait(&condition, &mutex, &for_ever);
    if (error == ETIMEDOUT || error == EOWNERDEAD)
        return 0;
#else
    while (!is_ready)
        error = pthread_cond_wait(&condition, &mutex);
#endif
    assert(error == ENOTRECOVERABLE);
    assert(pthread_mutex_trylock(&mutex) == ENOTRECOVERABLE);
    pthread_join(thread, 0);
    return 0;
}
