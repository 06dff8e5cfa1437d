// Virtual time: deadlines are reached, causes come before their effects, sleeps in every form.
// expect -DMUTEX: holds
// expect -DCONDITION: holds
// expect -DSEMAPHORE: holds
// expect -DABSOLUTE: holds
// expect -DPOLL: holds
// expect -DCAUSE: holds
// expect -DLATE: assertion
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static sem_t s;
static double released;
static int ready;

static double now(void)
{
    struct timespec time;
    timespec_get(&time, TIME_UTC);
    return time.tv_sec + time.tv_nsec * 1e-9;
}

static void *work(void *unused)
{
    pthread_mutex_lock(&m);
#ifdef CAUSE
    sleep(7);
    released = now();
#endif
    ready = 1;
#ifdef LATE
    pthread_cond_signal(&c);
#endif
    pthread_mutex_unlock(&m);
    return 0;
}

int main(void)
{
    pthread_t thread;
    sem_init(&s, 0, 0);
    pthread_create(&thread, 0, work, 0);
    double start = now();
    struct timespec deadline;
    clock_gettime(CLOCK_REALTIME, &deadline);
    deadline.tv_sec += 2;
    deadline.tv_nsec = 500000000;
#if defined MUTEX
    if (pthread_mutex_timedlock(&m, &deadline) == ETIMEDOUT)
        assert(now() - start >= 2);
    else
        pthread_mutex_unlock(&m);
#elif defined CONDITION
    pthread_mutex_lock(&m);
    int error = 0;
    while (error != ETIMEDOUT)
        error = pthread_cond_timedwait(&c, &m, &deadline);
    assert(now() - start >= 2);
    pthread_mutex_unlock(&m);
#elif defined SEMAPHORE
    assert(sem_timedwait(&s, &deadline) == -1 && errno == ETIMEDOUT);
    assert(now() - start >= 2);
#elif defined ABSOLUTE
    clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &deadline, 0);
    struct timespec later;
    clock_gettime(CLOCK_REALTIME, &later);
    assert(later.tv_sec > deadline.tv_sec || (later.tv_sec == deadline.tv_sec && later.tv_nsec >= deadline.tv_nsec));
#elif defined POLL
    assert(poll(0, 0, 3000) == 0);
    assert(now() - start >= 3);
#elif defined CAUSE
    pthread_mutex_lock(&m);
    assert(!ready || now() >= released);
    pthread_mutex_unlock(&m);
#elif defined LATE
    // Timed out, and what was waited for has become true before the mutex was free again.
    pthread_mutex_lock(&m);
    while (!ready)
        assert(!(pthread_cond_timedwait(&c, &m, &deadline) == ETIMEDOUT && ready));
    pthread_mutex_unlock(&m);
#endif
    pthread_join(thread, 0);
    return 0;
}
