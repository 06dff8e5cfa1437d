// Data races are faults by themselves; what is ordered is none, however it is ordered.
// expect watched -DCOUNT: race
// expect watched -DBITS: race
// expect watched -DSTACK: race
// expect watched -DMIXED: race
// expect watched -DREADER: race
// expect watched -DBYTES: holds
// expect watched -DLOCKED: holds
// expect watched -DJOINED: holds
// expect watched -DFLAG: holds
// expect watched -DSEMAPHORE: holds
// expect watched -DCONDITION: holds
// expect watched -DBARRIER: holds
// expect watched -DONCE: holds
// expect watched -DREADERS: holds
// expect -DCOUNT: holds
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>

static int shared;
static char bytes[8];
static struct {
    unsigned low : 4, high : 4;
} bits;
static atomic_int flag;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;
static pthread_barrier_t barrier;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static sem_t semaphore;
static int is_ready;

static void initialise(void)
{
    shared = 1;
}

static void *work(void *argument)
{
#if defined COUNT
    shared++;
#elif defined BITS
    bits.low = 3;
#elif defined STACK
    *(int *)argument = 1;
#elif defined MIXED
    atomic_store((atomic_int *)&shared, 1);
#elif defined READER
    pthread_rwlock_rdlock(&rw);
    shared++;
    pthread_rwlock_unlock(&rw);
#elif defined BYTES
    bytes[1] = 1;
#elif defined LOCKED
    pthread_mutex_lock(&m);
    shared++;
    pthread_mutex_unlock(&m);
#elif defined JOINED
    shared++;
#elif defined FLAG
    shared = 1;
    atomic_store(&flag, 1);
#elif defined SEMAPHORE
    shared = 1;
    sem_post(&semaphore);
#elif defined CONDITION
    pthread_mutex_lock(&m);
    is_ready = shared = 1;
    pthread_mutex_unlock(&m);
    pthread_cond_signal(&c);
#elif defined BARRIER
    shared = 1;
    pthread_barrier_wait(&barrier);
#elif defined ONCE
    pthread_once(&once, initialise);
    int seen = shared;
#elif defined READERS
    pthread_rwlock_rdlock(&rw);
    int seen = shared;
    pthread_rwlock_unlock(&rw);
#endif
    return 0;
}

int main(void)
{
    pthread_t thread;
    int local = 0;
    sem_init(&semaphore, 0, 0);
    pthread_barrier_init(&barrier, 0, 2);
    shared = 0;
    pthread_create(&thread, 0, work, &local);
#if defined COUNT
    shared++;
#elif defined BITS
    bits.high = 5;
#elif defined STACK
    local = 2;
#elif defined MIXED
    shared = 2;
#elif defined READER
    pthread_rwlock_rdlock(&rw);
    shared++;
    pthread_rwlock_unlock(&rw);
#elif defined BYTES
    bytes[2] = 1;
#elif defined LOCKED
    pthread_mutex_lock(&m);
    shared++;
    pthread_mutex_unlock(&m);
#elif defined FLAG
    while (!atomic_load(&flag))
        ;
    shared++;
#elif defined SEMAPHORE
    sem_wait(&semaphore);
    shared++;
#elif defined CONDITION
    pthread_mutex_lock(&m);
    while (!is_ready)
        pthread_cond_wait(&c, &m);
    pthread_mutex_unlock(&m);
    shared++;
#elif defined BARRIER
    pthread_barrier_wait(&barrier);
    shared++;
#elif defined ONCE
    pthread_once(&once, initialise);
    int seen = shared;
#elif defined READERS
    pthread_rwlock_wrlock(&rw);
    shared = 1;
    pthread_rwlock_unlock(&rw);
#endif
    pthread_join(thread, 0);
#ifdef JOINED
    shared++;
#endif
    return 0;
}
