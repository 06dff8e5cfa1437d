// What programs do with threads, right and wrong: conditions, upgrades of locks, semaphores as locks, ends of threads.
// expect -DPREDICATE: holds
// expect -DNO_PREDICATE: deadlock
// expect -DIF_NOT_WHILE: assertion
// expect -DTIMED_PREDICATE: assertion
// expect -DTIMED_AGAIN: holds
// expect -DONE_SIGNAL: deadlock
// expect -DBATON: holds
// expect -DONE_CONDITION: deadlock
// expect -DTWO_CONDITIONS: holds
// expect -DGONE_CONDITION: holds
// expect -DUPGRADE: deadlock
// expect -DUPGRADE_TRY: holds
// expect -DUPGRADE_STALE: assertion
// expect -DREADERS_MEET: holds
// expect -DWRITERS_MEET: deadlock
// expect -DSEMAPHORE_LOCK: holds
// expect -DSEMAPHORE_FORGOTTEN: deadlock
// expect watched -DSEMAPHORE_TOO_MANY: assertion
// expect -DRENDEZVOUS: holds
// expect -DRENDEZVOUS_WRONG: deadlock
// expect -DMAIN_ENDS: assertion
// expect -DATEXIT_LOCKS: deadlock
// expect -DCLEANUP_UNLOCKS: holds
// expect -DEXIT_HOLDS: deadlock
// expect -DKEY_LOCKS: deadlock
// expect -DKEY_COUNTS: holds
// expect -DONCE_INSIDE: deadlock
// expect -DONCE_CROSSED: deadlock
// expect -DSERIAL: holds
// expect -DSERIAL_MAIN: assertion
// expect -DTHREE_OF_TWO: deadlock
// expect -DRECURSIVE_HELD: deadlock
// expect -DBACK_OFF: holds
// expect -DSLEEP_ORDERS: assertion
// expect -DCLOCK: holds
// expect -DSEMAPHORE_GONE: holds
// expect -DMUTEX_GONE: holds
// expect -DNO_CANCEL: holds
// expect -DRAISE: holds
// expect watched -DPETERSON: holds
// expect watched -DPETERSON_PLAIN: race
// expect watched -DTICKET: holds
// expect watched -DDOUBLE_CHECK: race
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, m2 = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER, c2 = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT, once2 = PTHREAD_ONCE_INIT;
static pthread_barrier_t barrier;
static pthread_key_t key;
static sem_t s, s2;
static int n, ready, serial;
static pthread_t threads[4];

static void start(int i, void *(*work)(void *))
{
    pthread_create(&threads[i], 0, work, 0);
}

static void wait_for(int count)
{
    for (int i = 0; i < count; i++)
        pthread_join(threads[i], 0);
}

#if defined PREDICATE || defined NO_PREDICATE
static void *work(void *unused)
{
    pthread_mutex_lock(&m);
#ifdef PREDICATE
    while (!ready)
#endif
        pthread_cond_wait(&c, &m);
    pthread_mutex_unlock(&m);
    return 0;
}
int main(void)
{
    start(0, work);
    pthread_mutex_lock(&m);
    ready = 1;
    pthread_cond_signal(&c);
    pthread_mutex_unlock(&m);
    wait_for(1);
}

#elif defined IF_NOT_WHILE
static void *work(void *unused)
{
    pthread_mutex_lock(&m);
    if (n == 0)
        pthread_cond_wait(&c, &m);
    assert(n > 0);
    n--;
    pthread_mutex_unlock(&m);
    return 0;
}
int main(void)
{
    start(0, work), start(1, work);
    pthread_mutex_lock(&m);
    n++;
    pthread_cond_broadcast(&c);
    pthread_mutex_unlock(&m);
    pthread_mutex_lock(&m);
    n++;
    pthread_cond_broadcast(&c);
    pthread_mutex_unlock(&m);
    wait_for(2);
}

#elif defined TIMED_PREDICATE || defined TIMED_AGAIN
static void *work(void *unused)
{
    pthread_mutex_lock(&m);
    ready = 1;
    pthread_cond_signal(&c);
    pthread_mutex_unlock(&m);
    return 0;
}
int main(void)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec++;
    start(0, work);
    pthread_mutex_lock(&m);
    int result = 0;
    while (!ready && result == 0)
        result = pthread_cond_timedwait(&c, &m, &until);
#ifdef TIMED_PREDICATE
    assert(ready);
#else
    assert(result == 0 || result == ETIMEDOUT);
    assert(result == ETIMEDOUT || ready);
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    assert(result == 0 || now.tv_sec > until.tv_sec || (now.tv_sec == until.tv_sec && now.tv_nsec >= until.tv_nsec));
#endif
    pthread_mutex_unlock(&m);
    wait_for(1);
}

#elif defined ONE_SIGNAL || defined BATON
static void *work(void *unused)
{
    pthread_mutex_lock(&m);
    while (!ready)
        pthread_cond_wait(&c, &m);
#ifdef BATON
    pthread_cond_signal(&c);
#endif
    pthread_mutex_unlock(&m);
    return 0;
}
int main(void)
{
    start(0, work), start(1, work);
    pthread_mutex_lock(&m);
    ready = 1;
    pthread_cond_signal(&c);
    pthread_mutex_unlock(&m);
    wait_for(2);
}

#elif defined ONE_CONDITION || defined TWO_CONDITIONS
#ifdef ONE_CONDITION
#define FULL c
#define EMPTY c
#else
#define FULL c
#define EMPTY c2
#endif
static void *put(void *unused)
{
    pthread_mutex_lock(&m);
    while (n == 1)
        pthread_cond_wait(&FULL, &m);
    n = 1;
    pthread_cond_signal(&EMPTY);
    pthread_mutex_unlock(&m);
    return 0;
}
static void *take(void *unused)
{
    pthread_mutex_lock(&m);
    while (n == 0)
        pthread_cond_wait(&EMPTY, &m);
    n = 0;
    pthread_cond_signal(&FULL);
    pthread_mutex_unlock(&m);
    return 0;
}
int main(void)
{
    start(0, put), start(1, put), start(2, take), start(3, take);
    wait_for(4);
}

#elif defined GONE_CONDITION
// A condition may be destroyed as soon as everybody has been woken, also before they have gone on.
static pthread_cond_t *shared;
static void *work(void *unused)
{
    pthread_mutex_lock(&m);
    n++;
    while (!ready)
        pthread_cond_wait(shared, &m);
    pthread_mutex_unlock(&m);
    return 0;
}
int main(void)
{
    shared = malloc(sizeof *shared);
    pthread_cond_init(shared, 0);
    start(0, work);
    pthread_mutex_lock(&m);
    if (n == 0) {
        ready = 1;
        pthread_mutex_unlock(&m);
        wait_for(1);
        return 0;
    }
    ready = 1;
    pthread_cond_broadcast(shared);
    pthread_cond_destroy(shared);
    pthread_mutex_unlock(&m);
    wait_for(1);
}

#elif defined UPGRADE || defined UPGRADE_TRY || defined UPGRADE_STALE
static void *work(void *unused)
{
    pthread_rwlock_rdlock(&rw);
    int seen = n;
#if defined UPGRADE
    pthread_rwlock_wrlock(&rw);
#elif defined UPGRADE_TRY
    assert(pthread_rwlock_trywrlock(&rw) == EBUSY);
    pthread_rwlock_unlock(&rw);
    pthread_rwlock_wrlock(&rw);
#else
    pthread_rwlock_unlock(&rw);
    pthread_rwlock_wrlock(&rw);
    assert(n == seen);
#endif
    n++;
    pthread_rwlock_unlock(&rw);
    return 0;
}
int main(void)
{
    start(0, work), start(1, work);
    wait_for(2);
    assert(n == 2);
}

#elif defined READERS_MEET || defined WRITERS_MEET
static void *work(void *unused)
{
#ifdef READERS_MEET
    pthread_rwlock_rdlock(&rw);
#else
    pthread_rwlock_wrlock(&rw);
#endif
    pthread_barrier_wait(&barrier);
    pthread_rwlock_unlock(&rw);
    return 0;
}
int main(void)
{
    pthread_barrier_init(&barrier, 0, 2);
    start(0, work), start(1, work);
    wait_for(2);
}

#elif defined SEMAPHORE_LOCK || defined SEMAPHORE_FORGOTTEN || defined SEMAPHORE_TOO_MANY
static void *work(void *unused)
{
    sem_wait(&s);
    int seen = n;
    sched_yield();
    n = seen + 1;
#ifdef SEMAPHORE_FORGOTTEN
    if (seen == 1)
        return 0;
#endif
    sem_post(&s);
    return 0;
}
int main(void)
{
#ifdef SEMAPHORE_TOO_MANY
    sem_init(&s, 0, 2);
#else
    sem_init(&s, 0, 1);
#endif
    start(0, work), start(1, work), start(2, work);
    wait_for(3);
    assert(n == 3);
}

#elif defined RENDEZVOUS || defined RENDEZVOUS_WRONG
static void *first(void *unused)
{
#ifdef RENDEZVOUS
    sem_post(&s), sem_wait(&s2);
#else
    sem_wait(&s2), sem_post(&s);
#endif
    return 0;
}
static void *second(void *unused)
{
#ifdef RENDEZVOUS
    sem_post(&s2), sem_wait(&s);
#else
    sem_wait(&s), sem_post(&s2);
#endif
    return 0;
}
int main(void)
{
    sem_init(&s, 0, 0), sem_init(&s2, 0, 0);
    start(0, first), start(1, second);
    wait_for(2);
}

#elif defined MAIN_ENDS
static void *work(void *unused)
{
    pthread_mutex_lock(&m);
    n++;
    assert(n < 2);
    pthread_mutex_unlock(&m);
    return 0;
}
int main(void)
{
    start(0, work), start(1, work);
    pthread_detach(threads[0]), pthread_detach(threads[1]);
    pthread_exit(0);
}

#elif defined ATEXIT_LOCKS
static void handler(void)
{
    pthread_mutex_lock(&m);
}
static void *work(void *unused)
{
    pthread_mutex_lock(&m);
    sem_post(&s);
    sem_wait(&s2);
    return 0;
}
int main(void)
{
    sem_init(&s, 0, 0), sem_init(&s2, 0, 0);
    atexit(handler);
    start(0, work);
    sem_wait(&s);
}

#elif defined CLEANUP_UNLOCKS || defined EXIT_HOLDS
static void give_up(void *mutex)
{
    pthread_mutex_unlock(mutex);
}
static void *work(void *unused)
{
    pthread_mutex_lock(&m);
#ifdef CLEANUP_UNLOCKS
    pthread_cleanup_push(give_up, &m);
    pthread_exit(0);
    pthread_cleanup_pop(0);
#else
    pthread_exit(0);
#endif
}
int main(void)
{
    start(0, work), start(1, work);
    wait_for(2);
}

#elif defined KEY_LOCKS || defined KEY_COUNTS
static void destroy(void *value)
{
    pthread_mutex_lock(&m);
    n += value == &n;
    pthread_mutex_unlock(&m);
}
static void *work(void *unused)
{
    pthread_setspecific(key, &n);
    return 0;
}
int main(void)
{
    pthread_key_create(&key, destroy);
    start(0, work), start(1, work);
#ifdef KEY_LOCKS
    pthread_mutex_lock(&m);
#endif
    wait_for(2);
    assert(n == 2);
}

#elif defined ONCE_INSIDE
static void again(void)
{
    pthread_once(&once, again);
}
static void *work(void *unused)
{
    return 0;
}
int main(void)
{
    start(0, work);
    pthread_once(&once, again);
}

#elif defined ONCE_CROSSED
static void nothing(void)
{
}
static void one(void)
{
    sched_yield();
    pthread_once(&once2, nothing);
}
static void two(void)
{
    sched_yield();
    pthread_once(&once, nothing);
}
static void *work(void *unused)
{
    pthread_once(&once2, two);
    return 0;
}
int main(void)
{
    start(0, work);
    pthread_once(&once, one);
    wait_for(1);
}

#elif defined SERIAL || defined SERIAL_MAIN
static void *work(void *unused)
{
    for (int i = 0; i < 2; i++)
        if (pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD) {
            pthread_mutex_lock(&m);
            serial++;
            pthread_mutex_unlock(&m);
        }
    return 0;
}
int main(void)
{
    pthread_barrier_init(&barrier, 0, 3);
    start(0, work), start(1, work);
    int mine = 0;
    for (int i = 0; i < 2; i++)
        mine += pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD;
    wait_for(2);
    assert(serial + mine == 2);
#ifdef SERIAL_MAIN
    assert(mine != 2);
#endif
}

#elif defined THREE_OF_TWO
static void *work(void *unused)
{
    pthread_barrier_wait(&barrier);
    return 0;
}
int main(void)
{
    pthread_barrier_init(&barrier, 0, 2);
    start(0, work), start(1, work), start(2, work);
    wait_for(3);
}

#elif defined RECURSIVE_HELD
static pthread_mutex_t again;
static void *work(void *unused)
{
    pthread_mutex_lock(&again);
    pthread_mutex_lock(&again);
    pthread_mutex_unlock(&again);
    return 0;
}
int main(void)
{
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&again, &attributes);
    start(0, work), start(1, work);
    wait_for(2);
}

#elif defined BACK_OFF
static void both(pthread_mutex_t *first, pthread_mutex_t *second)
{
    for (int i = 0; i < 2; i++) {
        pthread_mutex_lock(first);
        if (pthread_mutex_trylock(second) == 0) {
            pthread_mutex_unlock(second);
            pthread_mutex_unlock(first);
            return;
        }
        pthread_mutex_unlock(first);
    }
}
static void *work(void *unused)
{
    both(&m, &m2);
    return 0;
}
int main(void)
{
    start(0, work);
    both(&m2, &m);
    wait_for(1);
}

#elif defined SLEEP_ORDERS
static void *work(void *unused)
{
    usleep(1000);
    pthread_mutex_lock(&m);
    assert(ready);
    pthread_mutex_unlock(&m);
    return 0;
}
int main(void)
{
    start(0, work);
    pthread_mutex_lock(&m);
    ready = 1;
    pthread_mutex_unlock(&m);
    wait_for(1);
}

#elif defined CLOCK
static void *work(void *unused)
{
    struct timespec from, to, span = {0, 5000000};
    clock_gettime(CLOCK_MONOTONIC, &from);
    nanosleep(&span, 0);
    clock_gettime(CLOCK_MONOTONIC, &to);
    assert((to.tv_sec - from.tv_sec) * 1000000000L + to.tv_nsec - from.tv_nsec >= 5000000);
    return 0;
}
int main(void)
{
    start(0, work), start(1, work);
    wait_for(2);
}

#elif defined SEMAPHORE_GONE
static void *work(void *semaphore)
{
    sem_post(&s);
    return 0;
}
int main(void)
{
    sem_init(&s, 0, 0);
    start(0, work);
    sem_wait(&s);
    sem_destroy(&s);
    wait_for(1);
}

#elif defined MUTEX_GONE
// The last to let go of an object that two threads share destroys it, its lock included.
static struct { pthread_mutex_t lock; int n; } *shared;
static void let_go(void)
{
    pthread_mutex_lock(&shared->lock);
    int last = --shared->n == 0;
    pthread_mutex_unlock(&shared->lock);
    if (last) {
        pthread_mutex_destroy(&shared->lock);
        free(shared);
    }
}
static void *work(void *unused)
{
    let_go();
    return 0;
}
int main(void)
{
    shared = malloc(sizeof *shared);
    pthread_mutex_init(&shared->lock, 0);
    shared->n = 2;
    start(0, work);
    let_go();
    wait_for(1);
}

#elif defined NO_CANCEL
static void *work(void *unused)
{
    int before;
    assert(pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before) == 0 && before == PTHREAD_CANCEL_ENABLE);
    pthread_testcancel();
    pthread_setcancelstate(before, 0);
    return 0;
}
int main(void)
{
    start(0, work);
    wait_for(1);
}

#elif defined RAISE
static volatile sig_atomic_t n_signals;
static void handler(int signal)
{
    n_signals++;
}
static void *work(void *unused)
{
    return 0;
}
int main(void)
{
    signal(SIGUSR1, handler);
    raise(SIGUSR1);
    assert(n_signals == 1);
    start(0, work);
    wait_for(1);
}

#elif defined PETERSON || defined PETERSON_PLAIN
#ifdef PETERSON
static atomic_int wants[2], turn;
#else
static int wants[2], turn;
#endif
static void enter(int me)
{
    wants[me] = 1;
    turn = 1 - me;
    while (wants[1 - me] && turn == 1 - me)
        ;
    n++;
    wants[me] = 0;
}
static void *work(void *unused)
{
    enter(1);
    return 0;
}
int main(void)
{
    start(0, work);
    enter(0);
    wait_for(1);
    assert(n == 2);
}

#elif defined TICKET
static atomic_int next, now;
static void *work(void *unused)
{
    int mine = atomic_fetch_add(&next, 1);
    while (atomic_load(&now) != mine)
        ;
    n++;
    atomic_fetch_add(&now, 1);
    return 0;
}
int main(void)
{
    start(0, work);
    work(0);
    wait_for(1);
    assert(n == 2);
}

#elif defined DOUBLE_CHECK
static int *volatile instance;
static void *work(void *unused)
{
    if (!instance) {
        pthread_mutex_lock(&m);
        if (!instance)
            instance = &n;
        pthread_mutex_unlock(&m);
    }
    assert(instance == &n);
    return 0;
}
int main(void)
{
    start(0, work), start(1, work);
    wait_for(2);
}
#endif
