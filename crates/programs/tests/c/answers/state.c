// What belongs to a thread or a process stays with it: rounding, errno, stacks, locales, memory of any size, children.
// expect -DROUNDING -lm: holds
// expect -DERRNO: holds
// expect -DLOCALE: holds
// expect -DDEEP: holds
// expect -DDEEP_MAIN: holds
// expect -DSMALL_STACK: holds
// expect -DOWN_STACK: holds
// expect -DLARGE: holds
// expect -DGROWS: holds
// expect -DLOCAL_ARRAY: holds
// expect -DJUMP: holds
// expect -DNESTED: holds
// expect -DBORN_DETACHED: assertion
// expect -DPAST: holds
// expect -DPAST_WAIT: holds
// expect -DEXIT_ELSEWHERE: status
// expect -DEXIT_WELL: holds
// expect -DQUICK: holds
// expect -DRESULTS: holds
// expect -DFORK: holds
// expect -DFORK_STATUS: holds
// expect -DINHERIT: holds
// expect -DTIMED_UPGRADE: holds
// expect -DMANY: holds
// expect -DLATE_KEY: holds
// expect -DFILES: holds
// expect -DPRINTS: holds
// expect -DC11: holds
// expect -DC11_TIMED: assertion
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <fenv.h>
#include <locale.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static pthread_t threads[8];
static int n;

static void start(int i, void *(*work)(void *))
{
    assert(pthread_create(&threads[i], 0, work, 0) == 0);
}

static void wait_for(int count)
{
    for (int i = 0; i < count; i++)
        pthread_join(threads[i], 0);
}

static void step(void)
{
    pthread_mutex_lock(&m);
    n++;
    pthread_mutex_unlock(&m);
}

#if defined ROUNDING
static void *work(void *unused)
{
    assert(fegetround() == FE_TONEAREST);
    step();
    fesetround(FE_UPWARD);
    step();
    assert(fegetround() == FE_UPWARD);
    volatile double third = 1.0 / 3;
    step();
    fesetround(FE_TONEAREST);
    return 0;
}
static void *other(void *unused)
{
    step();
    assert(fegetround() == FE_TONEAREST);
    step();
    assert(fegetround() == FE_TONEAREST);
    return 0;
}
int main(void)
{
    start(0, work), start(1, other);
    wait_for(2);
    assert(fegetround() == FE_TONEAREST);
}

#elif defined ERRNO
static void *work(void *unused)
{
    int mine = errno = (int)(long)&unused & 0xff0;
    step();
    assert(errno == mine);
    step();
    assert(errno == mine);
    return 0;
}
int main(void)
{
    start(0, work), start(1, work);
    errno = 7;
    wait_for(2);
    assert(errno == 7);
}

#elif defined LOCALE
static void *work(void *unused)
{
    locale_t mine = newlocale(LC_ALL_MASK, "C", 0), before = uselocale(mine);
    step();
    assert(uselocale(0) == mine);
    uselocale(before);
    freelocale(mine);
    return 0;
}
int main(void)
{
    start(0, work), start(1, work);
    wait_for(2);
    assert(uselocale(0) == LC_GLOBAL_LOCALE);
}

#elif defined DEEP || defined DEEP_MAIN
static int sink(int depth)
{
    volatile char room[4096];
    room[0] = depth;
    return depth == 0 ? 0 : sink(depth - 1) + (room[0] == (char)depth ? 0 : 1);
}
static void *work(void *unused)
{
    step();
    assert(sink(1500) == 0);
    step();
    return 0;
}
int main(void)
{
    start(0, work), start(1, work);
#ifdef DEEP_MAIN
    assert(sink(1500) == 0);
    step();
#endif
    wait_for(2);
}

#elif defined SMALL_STACK || defined OWN_STACK
static void *work(void *unused)
{
    char room[4096];
    memset(room, 1, sizeof room);
    step();
    return 0;
}
static char stack[1 << 16] __attribute__((aligned(4096)));
int main(void)
{
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
#ifdef SMALL_STACK
    assert(pthread_attr_setstacksize(&attributes, 1 << 15) == 0);
#else
    assert(pthread_attr_setstack(&attributes, stack, sizeof stack) == 0);
#endif
    pthread_create(&threads[0], &attributes, work, 0);
    start(1, work);
    wait_for(2);
    assert(n == 2);
}

#elif defined LARGE || defined GROWS
static void *work(void *unused)
{
    size_t size = 8 << 20;
    char *room = malloc(size);
    for (size_t i = 0; i < size; i += 4096)
        room[i] = 1;
    step();
#ifdef GROWS
    room = realloc(room, 2 * size);
    room[2 * size - 1] = 1;
    step();
#endif
    for (size_t i = 0; i < size; i += 4096)
        assert(room[i] == 1);
    free(room);
    return 0;
}
int main(void)
{
    start(0, work), start(1, work);
    wait_for(2);
}

#elif defined LOCAL_ARRAY
static __thread char mine[1 << 20];
static void *work(void *unused)
{
    assert(mine[0] == 0 && mine[sizeof mine - 1] == 0);
    memset(mine, 1, sizeof mine);
    step();
    assert(mine[0] == 1 && mine[sizeof mine - 1] == 1);
    return 0;
}
int main(void)
{
    start(0, work), start(1, work);
    wait_for(2);
    assert(mine[0] == 0);
}

#elif defined JUMP
static void *work(void *unused)
{
    jmp_buf back;
    volatile int n_jumps = 0;
    if (setjmp(back) < 2) {
        step();
        longjmp(back, ++n_jumps);
    }
    assert(n_jumps == 2);
    return 0;
}
int main(void)
{
    start(0, work), start(1, work);
    wait_for(2);
    assert(n == 4);
}

#elif defined NESTED
static void *inner(void *unused)
{
    step();
    return 0;
}
static void *work(void *unused)
{
    pthread_t child;
    pthread_create(&child, 0, inner, 0);
    step();
    pthread_join(child, 0);
    return 0;
}
int main(void)
{
    start(0, work), start(1, work);
    wait_for(2);
    assert(n == 4);
}

#elif defined BORN_DETACHED
static void *work(void *unused)
{
    step();
    assert(n < 2);
    return 0;
}
int main(void)
{
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    pthread_create(&threads[0], &attributes, work, 0);
    pthread_create(&threads[1], &attributes, work, 0);
    pthread_exit(0);
}

#elif defined PAST || defined PAST_WAIT
static void *work(void *unused)
{
    struct timespec past = {1, 0};
#ifdef PAST
    int result = pthread_mutex_timedlock(&m, &past);
    assert(result == 0 || result == ETIMEDOUT);
    if (result == 0)
        pthread_mutex_unlock(&m);
#else
    pthread_mutex_lock(&m);
    assert(pthread_cond_timedwait(&c, &m, &past) == ETIMEDOUT);
    n++;
    pthread_mutex_unlock(&m);
#endif
    return 0;
}
int main(void)
{
    start(0, work), start(1, work);
    wait_for(2);
}

#elif defined EXIT_ELSEWHERE || defined EXIT_WELL || defined QUICK
static void *work(void *unused)
{
    step();
#if defined QUICK
    quick_exit(0);
#elif defined EXIT_WELL
    exit(0);
#else
    exit(n == 2 ? 3 : 0);
#endif
}
int main(void)
{
    start(0, work);
    step();
    wait_for(1);
}

#elif defined RESULTS
static void *work(void *unused)
{
    step();
    pthread_exit(&n);
}
int main(void)
{
    void *result;
    start(0, work), start(1, work);
    assert(pthread_join(threads[0], &result) == 0 && result == &n);
    assert(pthread_join(threads[1], &result) == 0 && result == &n);
}

#elif defined FORK || defined FORK_STATUS
static void *work(void *unused)
{
    step();
    return 0;
}
int main(void)
{
    int status;
    pid_t child = fork();
    if (child == 0) {
#ifdef FORK_STATUS
        _exit(5);
#endif
        _exit(0);
    }
    assert(waitpid(child, &status, 0) == child && WIFEXITED(status));
#ifdef FORK_STATUS
    assert(WEXITSTATUS(status) == 5);
#endif
    start(0, work), start(1, work);
    wait_for(2);
    assert(n == 2);
}

#elif defined INHERIT
static pthread_mutex_t fair;
static void *work(void *unused)
{
    pthread_mutex_lock(&fair);
    n++;
    pthread_mutex_unlock(&fair);
    return 0;
}
int main(void)
{
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    assert(pthread_mutexattr_setprotocol(&attributes, PTHREAD_PRIO_INHERIT) == 0);
    pthread_mutex_init(&fair, &attributes);
    start(0, work), start(1, work);
    wait_for(2);
    assert(n == 2);
}

#elif defined TIMED_UPGRADE
static pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;
static void *work(void *unused)
{
    struct timespec until;
    pthread_rwlock_rdlock(&rw);
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec++;
    assert(pthread_rwlock_timedwrlock(&rw, &until) == ETIMEDOUT);
    pthread_rwlock_unlock(&rw);
    return 0;
}
int main(void)
{
    start(0, work), start(1, work);
    wait_for(2);
}

#elif defined MANY
static void *work(void *unused)
{
    step();
    return 0;
}
int main(void)
{
    for (int i = 0; i < 8; i++)
        start(i, work);
    wait_for(8);
    assert(n == 8);
}

#elif defined LATE_KEY
static pthread_key_t key;
static void destroy(void *value)
{
    step();
}
static void *work(void *unused)
{
    pthread_setspecific(key, &n);
    pthread_setspecific(key, 0);
    return 0;
}
int main(void)
{
    pthread_key_create(&key, destroy);
    start(0, work), start(1, work);
    wait_for(2);
    assert(n == 0);
}

#elif defined FILES
static void *work(void *unused)
{
    FILE *file = tmpfile();
    assert(file);
    fprintf(file, "%d", 12);
    step();
    rewind(file);
    int back = 0;
    assert(fscanf(file, "%d", &back) == 1 && back == 12);
    fclose(file);
    return 0;
}
int main(void)
{
    start(0, work), start(1, work);
    wait_for(2);
}

#elif defined PRINTS
static void *work(void *unused)
{
    printf("%s\n", "begins");
    step();
    fprintf(stderr, "ends\n");
    return 0;
}
int main(void)
{
    start(0, work), start(1, work);
    wait_for(2);
    puts("all");
}

#elif defined C11 || defined C11_TIMED
static mtx_t lock;
static cnd_t ready;
static tss_t key;
static once_flag flag = ONCE_FLAG_INIT;
static int n_once, n_destroyed;
static void initialise(void)
{
    n_once++;
}
static void destroy(void *value)
{
    n_destroyed++;
}
static int work(void *unused)
{
    call_once(&flag, initialise);
    tss_set(key, &n);
    mtx_lock(&lock);
    n = 1;
    cnd_signal(&ready);
    mtx_unlock(&lock);
    return 9;
}
int main(void)
{
    thrd_t other;
    int result;
    mtx_init(&lock, mtx_timed), cnd_init(&ready), tss_create(&key, destroy);
    thrd_create(&other, work, 0);
    call_once(&flag, initialise);
    mtx_lock(&lock);
#ifdef C11
    while (n == 0)
        cnd_wait(&ready, &lock);
#else
    struct timespec until;
    timespec_get(&until, TIME_UTC);
    until.tv_sec++;
    while (n == 0 && cnd_timedwait(&ready, &lock, &until) == thrd_success)
        ;
    assert(n == 1);
#endif
    mtx_unlock(&lock);
    thrd_join(other, &result);
    assert(result == 9 && n_once == 1 && n_destroyed == 1);
}
#endif
