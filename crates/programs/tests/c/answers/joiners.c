// Two threads that join each other, and two that join a third: the second is told, and which that is is not explored.
// expect -DMUTUAL: inconclusive
// expect -DBOTH: inconclusive
// expect -DLOST: assertion
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>

static pthread_t a, b;
static sem_t created;
static pthread_mutex_t robust;

static void *first(void *unused)
{
    sem_wait(&created);
    int error = pthread_join(b, 0);
    assert(error == 0 || error == EDEADLK || error == EINVAL || error == ESRCH);
    return 0;
}

static void *second(void *unused)
{
#ifdef MUTUAL
    int error = pthread_join(a, 0);
    assert(error == 0 || error == EDEADLK);
#else
    sem_wait(&created);
#endif
    return 0;
}

/* A lock whose last owner is gone and that nobody repairs is lost when it is unlocked, and busy before. */
static void *hold(void *unused)
{
    pthread_mutex_lock(&robust);
    return 0;
}

static void *look(void *unused)
{
    assert(pthread_mutex_trylock(&robust) != EBUSY);
    return 0;
}

int main(void)
{
    sem_init(&created, 0, 0);
#ifdef LOST
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(&robust, &attributes);
    pthread_create(&a, 0, hold, 0);
    pthread_join(a, 0);
    assert(pthread_mutex_lock(&robust) == EOWNERDEAD);
    pthread_create(&b, 0, look, 0);
    pthread_mutex_unlock(&robust);
    pthread_join(b, 0);
#else
    pthread_create(&a, 0, first, 0);
    pthread_create(&b, 0, second, 0);
    sem_post(&created);
    sem_post(&created);
#ifdef BOTH
    int error = pthread_join(b, 0);
    assert(error == 0 || error == EINVAL || error == ESRCH);
    pthread_join(a, 0);
#endif
#endif
    return 0;
}
