// Reader-writer locks: who goes first, and the errors of glibc.
// expect -DRECURSIVE: holds
// expect -DRECURSIVE -DPREFER: deadlock
// expect -DERRORS: holds
// expect -DTRY -DPREFER: assertion
// expect -DTRY: holds
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>

static pthread_rwlock_t lock;

static void *write_once(void *unused)
{
    pthread_rwlock_wrlock(&lock);
#ifdef ERRORS
    assert(pthread_rwlock_rdlock(&lock) == EDEADLK);
    assert(pthread_rwlock_wrlock(&lock) == EDEADLK);
    assert(pthread_rwlock_tryrdlock(&lock) == EBUSY);
#endif
    pthread_rwlock_unlock(&lock);
    return 0;
}

int main(void)
{
    pthread_t thread;
    pthread_rwlockattr_t attributes;
    pthread_rwlockattr_init(&attributes);
#ifdef PREFER
    pthread_rwlockattr_setkind_np(&attributes, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
#endif
    pthread_rwlock_init(&lock, &attributes);
    pthread_create(&thread, 0, write_once, 0);
    pthread_rwlock_rdlock(&lock);
#if defined RECURSIVE
    pthread_rwlock_rdlock(&lock);
    pthread_rwlock_unlock(&lock);
#elif defined TRY
    int error = pthread_rwlock_tryrdlock(&lock);
    assert(error == 0);
    pthread_rwlock_unlock(&lock);
#endif
    pthread_rwlock_unlock(&lock);
    pthread_join(thread, 0);
    return 0;
}
