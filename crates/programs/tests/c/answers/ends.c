// The end of a thread, and of the program.
// expect -DSTATUS: status
// expect -DBUSY: assertion
// expect -DENDED: assertion
// expect -DATEXIT: assertion
// expect -DCLEANUP: holds
// expect -DKEYS: holds
// expect -DROBUST: holds
// expect -DLOST: holds
// expect -DDETACHED: holds
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static sem_t s;
static pthread_key_t key;
static int last, cleaned, destroyed;

static void clean(void *what)
{
    cleaned += *(int *)what;
}

static void destroy(void *value)
{
    destroyed++;
    pthread_setspecific(key, value);
}

static void deep(void)
{
    int one = 1;
    pthread_cleanup_push(clean, &one);
    pthread_exit((void *)7L);
    pthread_cleanup_pop(0);
}

static void *work(void *number)
{
#ifdef CLEANUP
    int ten = 10;
    pthread_cleanup_push(clean, &ten);
    deep();
    pthread_cleanup_pop(0);
#endif
#ifdef KEYS
    pthread_setspecific(key, &last);
    return 0;
#endif
    pthread_mutex_lock(&m);
    last = (long)number;
#if !defined ROBUST && !defined LOST
    pthread_mutex_unlock(&m);
#endif
    sem_post(&s);
    return 0;
}

static void at_end(void)
{
    assert(last == 2);
}

int main(void)
{
    pthread_t a, b;
    void *result;
    sem_init(&s, 0, 0);
    pthread_key_create(&key, destroy);
#if defined ROBUST || defined LOST
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(&m, &attributes);
    pthread_create(&a, 0, work, (void *)1L);
    pthread_join(a, 0);
    assert(pthread_mutex_lock(&m) == EOWNERDEAD);
#ifdef ROBUST
    assert(pthread_mutex_consistent(&m) == 0);
    assert(pthread_mutex_unlock(&m) == 0);
    assert(pthread_mutex_lock(&m) == 0);
    assert(pthread_mutex_unlock(&m) == 0);
#else
    assert(pthread_mutex_unlock(&m) == 0);
    assert(pthread_mutex_lock(&m) == ENOTRECOVERABLE);
#endif
    return 0;
#endif
#if defined CLEANUP || defined KEYS
    pthread_create(&a, 0, work, 0);
    pthread_join(a, &result);
#ifdef CLEANUP
    assert(result == (void *)7L && cleaned == 11);
#else
    assert(destroyed == 4);
#endif
    return 0;
#endif
#ifdef ATEXIT
    atexit(at_end);
#endif
    pthread_create(&a, 0, work, (void *)1L);
#if defined BUSY || defined ENDED
    sem_wait(&s);
    int error = pthread_tryjoin_np(a, 0);
#ifdef BUSY
    assert(error == 0);
#else
    assert(error == EBUSY);
#endif
    return 0;
#endif
#ifdef DETACHED
    assert(pthread_detach(a) == 0);
    assert(pthread_join(a, 0) == EINVAL);
    return 0;
#endif
    pthread_create(&b, 0, work, (void *)2L);
    pthread_join(a, 0);
    pthread_join(b, 0);
#ifdef STATUS
    return last == 1;
#endif
    return 0;
}
