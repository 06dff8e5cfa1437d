// Clocks nobody can wait by, times that are none, and no time at all: the errors of glibc.
// expect -DMUTEX: holds
// expect -DCONDITION: holds
// expect -DSEMAPHORE: holds
// expect -DRWLOCK: holds
// expect -DJOIN: holds
// expect -DFOR_EVER: holds
// expect -DSLEEP: holds
// expect -DPROCESSOR: holds
// expect -DUNKNOWN: holds
// expect -DSYSV: holds
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <sys/sem.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;
static sem_t s;

static void *work(void *unused)
{
    return 0;
}

int main(void)
{
    pthread_t thread;
    struct timespec late = {2000000000, 0}, none = {0, -1}, now;
    sem_init(&s, 0, 1);
    pthread_create(&thread, 0, work, 0);
#if defined MUTEX
    assert(pthread_mutex_clocklock(&m, 77, &late) == EINVAL);
    assert(pthread_mutex_clocklock(&m, CLOCK_PROCESS_CPUTIME_ID, &late) == EINVAL);
    assert(pthread_mutex_clocklock(&m, CLOCK_MONOTONIC, &late) == 0);
    assert(pthread_mutex_timedlock(&m, &none) == EINVAL);
    pthread_mutex_unlock(&m);
    assert(pthread_mutex_timedlock(&m, &none) == 0);
    pthread_mutex_unlock(&m);
#elif defined CONDITION
    pthread_mutex_lock(&m);
    assert(pthread_cond_clockwait(&c, &m, 77, &late) == EINVAL);
    assert(pthread_cond_timedwait(&c, &m, &none) == EINVAL);
    assert(pthread_cond_clockwait(&c, &m, CLOCK_MONOTONIC, &late) == ETIMEDOUT);
    pthread_mutex_unlock(&m);
#elif defined SEMAPHORE
    assert(sem_clockwait(&s, 77, &late) == -1 && errno == EINVAL);
    assert(sem_timedwait(&s, &none) == -1 && errno == EINVAL);
    assert(sem_clockwait(&s, CLOCK_MONOTONIC, &late) == 0);
#elif defined RWLOCK
    assert(pthread_rwlock_clockrdlock(&rw, 77, &late) == EINVAL);
    assert(pthread_rwlock_clockwrlock(&rw, 77, &late) == EINVAL);
    assert(pthread_rwlock_timedrdlock(&rw, &none) == EINVAL);
    assert(pthread_rwlock_timedwrlock(&rw, &none) == EINVAL);
#elif defined JOIN
    assert(pthread_clockjoin_np(thread, 0, 77, &late) == EINVAL);
#elif defined FOR_EVER
    assert(pthread_timedjoin_np(thread, 0, 0) == 0);
    return 0;
#elif defined SLEEP
    struct timespec second = {1, 0};
    assert(nanosleep(&none, 0) == -1 && errno == EINVAL);
    assert(clock_nanosleep(77, 0, &second, 0) == EINVAL);
    assert(clock_nanosleep(CLOCK_THREAD_CPUTIME_ID, 0, &second, 0) == EINVAL);
    assert(thrd_sleep(&none, 0) < -1);
#elif defined PROCESSOR
    struct timespec before;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &before);
    sleep(10);
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    assert(now.tv_sec - before.tv_sec < 5);
#elif defined UNKNOWN
    assert(clock_gettime(77, &now) == -1 && errno == EINVAL);
    assert(timespec_get(&now, TIME_UTC) == TIME_UTC && timespec_get(&now, 99) == 0);
#elif defined SYSV
    struct sembuf wait = {0, -1, 0}, add = {0, 32767, 0}, more = {0, 1, 0};
    unsigned short values[1] = {40000};
    int set = semget(IPC_PRIVATE, 1, 0600);
    assert(semtimedop(set, &wait, 1, &none) == -1 && errno == EINVAL);
    assert(semctl(set, 0, SETALL, values) == -1 && errno == ERANGE);
    semctl(set, 0, IPC_RMID);
#endif
    pthread_join(thread, 0);
    return 0;
}
