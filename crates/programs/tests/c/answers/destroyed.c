// Objects that are used after their destruction, and others that were made again in the same memory.
// expect -DCONDITION: misuse
// expect -DRWLOCK: misuse
// expect -DSPIN: misuse
// expect -DTHREADS: misuse
// expect -DSEMAPHORE: misuse
// expect -DCALL: holds
// expect -DASSIGNED: holds
// expect -DSPIN_AGAIN: holds
#include <pthread.h>
#include <semaphore.h>

static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;
static pthread_spinlock_t spin;
static sem_t semaphore;

static void *work(void *unused)
{
#ifdef THREADS
    pthread_cond_signal(&c);
#elif defined SEMAPHORE
    sem_wait(&semaphore);
#endif
    return 0;
}

int main(void)
{
    pthread_t thread;
    pthread_spin_init(&spin, 0);
    pthread_create(&thread, 0, work, 0);
    pthread_cond_destroy(&c);
    pthread_rwlock_destroy(&rw);
    pthread_spin_destroy(&spin);
#if defined SEMAPHORE
    sem_destroy(&semaphore);
    return 0;
#elif defined CONDITION
    pthread_cond_signal(&c);
#elif defined RWLOCK
    pthread_rwlock_rdlock(&rw);
#elif defined SPIN
    pthread_spin_lock(&spin);
#elif defined CALL
    pthread_cond_init(&c, 0);
    pthread_cond_signal(&c);
    pthread_rwlock_init(&rw, 0);
    pthread_rwlock_rdlock(&rw);
    pthread_rwlock_unlock(&rw);
#elif defined ASSIGNED
    c = (pthread_cond_t)PTHREAD_COND_INITIALIZER;
    pthread_cond_signal(&c);
    rw = (pthread_rwlock_t)PTHREAD_RWLOCK_INITIALIZER;
    pthread_rwlock_rdlock(&rw);
    pthread_rwlock_unlock(&rw);
#elif defined SPIN_AGAIN
    pthread_spin_init(&spin, 0);
    pthread_spin_lock(&spin);
    pthread_spin_unlock(&spin);
#endif
    pthread_join(thread, 0);
    return 0;
}
