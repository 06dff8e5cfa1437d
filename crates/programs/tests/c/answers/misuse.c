// Objects that are used in a way POSIX does not define.
// expect -DNOT_LOCKED: misuse
// expect -DNOT_OWN: misuse
// expect -DDESTROY_LOCKED: misuse
// expect -DUSE_DESTROYED: misuse
// expect -DWAIT_UNLOCKED: misuse
// expect -DRW: misuse
// expect -DSPIN: misuse
// expect -DCHECKED: holds
// expect -DRECURSIVE: holds
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;
static pthread_spinlock_t spin;

static void *work(void *unused)
{
#if defined NOT_LOCKED || defined NOT_OWN
    pthread_mutex_unlock(&m);
#elif defined DESTROY_LOCKED
    pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m);
#elif defined USE_DESTROYED
    pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m);
#elif defined WAIT_UNLOCKED
    pthread_cond_wait(&c, &m);
#elif defined RW
    pthread_rwlock_unlock(&rw);
#elif defined SPIN
    pthread_spin_unlock(&spin);
#elif defined CHECKED
    assert(pthread_mutex_lock(&m) == 0);
    assert(pthread_mutex_lock(&m) == EDEADLK);
    assert(pthread_mutex_trylock(&m) == EBUSY);
    assert(pthread_mutex_unlock(&m) == 0);
    assert(pthread_mutex_unlock(&m) == EPERM);
    assert(pthread_cond_wait(&c, &m) == EPERM);
#elif defined RECURSIVE
    assert(pthread_mutex_lock(&m) == 0);
    assert(pthread_mutex_lock(&m) == 0);
    assert(pthread_mutex_unlock(&m) == 0);
    assert(pthread_mutex_unlock(&m) == 0);
    assert(pthread_mutex_unlock(&m) == EPERM);
#endif
    return 0;
}

int main(void)
{
    pthread_t a, b;
    pthread_spin_init(&spin, 0);
#if defined CHECKED || defined RECURSIVE
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
#ifdef CHECKED
    pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_ERRORCHECK);
#else
    pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
#endif
    pthread_mutex_init(&m, &attributes);
#endif
#ifdef NOT_OWN
    pthread_mutex_lock(&m);
#endif
    pthread_create(&a, 0, work, 0);
#if defined CHECKED || defined RECURSIVE
    pthread_create(&b, 0, work, 0);
    pthread_join(b, 0);
#endif
#if defined DESTROY_LOCKED || defined USE_DESTROYED
    pthread_mutex_destroy(&m);
#endif
    pthread_join(a, 0);
    return 0;
}
