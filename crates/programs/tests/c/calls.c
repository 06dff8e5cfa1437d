/* Random calls by two threads in a forced order, none of which has to wait and none of which POSIX leaves undefined.
   What each returns is written to a file: it should be the same with and without control. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sem.h>
#include <time.h>
#include <unistd.h>

enum { N_STEPS = 80, N_MUTEXES = 4, N_KEYS = 3 };

static pthread_mutex_t mutexes[N_MUTEXES];
static const int types[N_MUTEXES] = {PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_RECURSIVE, PTHREAD_MUTEX_ERRORCHECK,
                                     PTHREAD_MUTEX_ERRORCHECK};
static int owner[N_MUTEXES], depth[N_MUTEXES];
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static int writer, readers[3];
static pthread_spinlock_t spin;
static int spinner;
static sem_t semaphore, turn[3];
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static pthread_barrier_t barrier;
static pthread_key_t keys[N_KEYS];
static int set;
static unsigned state;
static char text[1 << 16];
static int length;
static pthread_t other;
static char own_names[2][64];

static unsigned draw(unsigned n)
{
    state = state * 1103515245 + 12345;
    return (state >> 16) % n;
}

static void note(const char *what, int object, int result)
{
    length += snprintf(text + length, sizeof text - length, "%s %d: %d\n", what, object, result);
}

static int failed(int result)
{
    return result == -1 ? errno : 1000 + result;
}

static int is_bad_time(void)
{
    return draw(6) == 0;
}

static void mutex_call(int me)
{
    int m = draw(N_MUTEXES), error = 0, is_checked = m >= 2;
    struct timespec past = {1, is_bad_time() ? -1 : 0};
    int clock = draw(5) == 0 ? 77 : CLOCK_MONOTONIC;
    switch (draw(7)) {
    case 0:
        if (owner[m] && (owner[m] != me || m == 0))
            return;
        error = pthread_mutex_lock(&mutexes[m]);
        note("lock", m, error);
        break;
    case 1:
        error = pthread_mutex_trylock(&mutexes[m]);
        note("trylock", m, error);
        break;
    case 2:
        error = pthread_mutex_timedlock(&mutexes[m], &past);
        note("timedlock", m, error);
        break;
    case 3:
        error = pthread_mutex_clocklock(&mutexes[m], clock, &past);
        note("clocklock", m, error);
        break;
    case 4:
        note("consistent", m, pthread_mutex_consistent(&mutexes[m]));
        return;
    case 5:
        if (owner[m] != me && !is_checked || depth[m] > 1)
            return;
        struct timespec until = {1, past.tv_nsec};
        note("cond_timedwait", m, pthread_cond_timedwait(&condition, &mutexes[m], &until));
        return;
    default:
        if (owner[m] != me && m == 0)
            return;
        error = pthread_mutex_unlock(&mutexes[m]);
        note("unlock", m, error);
        if (error == 0 && --depth[m] == 0)
            owner[m] = 0;
        return;
    }
    if (error == 0) {
        owner[m] = me;
        depth[m]++;
    }
}

static void rwlock_call(int me)
{
    struct timespec past = {1, is_bad_time() ? 2000000000 : 0};
    int error;
    switch (draw(8)) {
    case 0:
        if (writer && writer != me)
            return;
        note("rdlock", 0, error = pthread_rwlock_rdlock(&rwlock));
        readers[me] += error == 0;
        return;
    case 1:
        note("tryrdlock", 0, error = pthread_rwlock_tryrdlock(&rwlock));
        readers[me] += error == 0;
        return;
    case 2:
        note("timedrdlock", 0, error = pthread_rwlock_timedrdlock(&rwlock, &past));
        readers[me] += error == 0;
        return;
    case 3:
        if (writer ? writer != me : readers[1] || readers[2])
            return;
        note("wrlock", 0, error = pthread_rwlock_wrlock(&rwlock));
        break;
    case 4:
        note("trywrlock", 0, error = pthread_rwlock_trywrlock(&rwlock));
        break;
    case 5:
        note("clockwrlock", 0, error = pthread_rwlock_clockwrlock(&rwlock, draw(3) ? CLOCK_REALTIME : 9, &past));
        break;
    default:
        if (writer != me && !readers[me])
            return;
        note("rwunlock", 0, pthread_rwlock_unlock(&rwlock));
        if (writer == me)
            writer = 0;
        else
            readers[me]--;
        return;
    }
    if (error == 0)
        writer = me;
}

static void semaphore_call(int me)
{
    struct timespec past = {1, is_bad_time() ? -5 : 0};
    int value;
    switch (draw(7)) {
    case 0:
        note("sem_post", 0, failed(sem_post(&semaphore)));
        break;
    case 1:
        note("sem_trywait", 0, failed(sem_trywait(&semaphore)));
        break;
    case 2:
        note("sem_timedwait", 0, failed(sem_timedwait(&semaphore, &past)));
        break;
    case 3:
        note("sem_clockwait", 0, failed(sem_clockwait(&semaphore, draw(2) ? CLOCK_MONOTONIC : 12, &past)));
        break;
    case 4:
        sem_getvalue(&semaphore, &value);
        note("sem_getvalue", 0, value);
        break;
    case 5: {
        const char *const names[] = {own_names[0], own_names[1], "", "/x/y"};
        int name = draw(4);
        sem_t *opened = sem_open(names[name], draw(2) ? O_CREAT : draw(2) ? O_CREAT | O_EXCL : 0, 0600, 2);
        int error = errno;
        note("sem_open", name, opened == SEM_FAILED ? error : 0);
        if (opened == SEM_FAILED)
            return;
        sem_getvalue(opened, &value);
        note("its value", name, value);
        if (draw(2))
            note("sem_unlink", name, failed(sem_unlink(names[name])));
        note("sem_close", name, failed(sem_close(opened)));
        break;
    }
    default:
        note("sem_unlink", 0, failed(sem_unlink(own_names[0])));
    }
}

static void sysv_call(int me)
{
    struct sembuf one = {draw(8) ? draw(2) : 7, (int)draw(3) - 1, IPC_NOWAIT};
    struct sembuf two[2] = {{0, -1, IPC_NOWAIT}, {1, 1, IPC_NOWAIT}};
    struct timespec none = {0, is_bad_time() ? -1 : 0};
    unsigned short values[2] = {draw(3), draw(9) ? 1 : 50000};
    switch (draw(8)) {
    case 0:
        note("semop", one.sem_op, failed(semop(set, &one, 1)));
        break;
    case 1:
        note("semops", 0, failed(semop(set, two, 2)));
        break;
    case 2:
        one.sem_flg = 0;
        note("semtimedop", one.sem_op, failed(semtimedop(set, &one, 1, &none)));
        break;
    case 3:
        note("GETVAL", 0, failed(semctl(set, draw(3), GETVAL)));
        break;
    case 4:
        note("SETVAL", 0, failed(semctl(set, draw(2), SETVAL, draw(5) ? (int)draw(3) : 40000)));
        break;
    case 5:
        note("SETALL", 0, failed(semctl(set, 0, SETALL, values)));
        break;
    case 6:
        note("GETALL", 0, failed(semctl(set, 0, GETALL, values)));
        note("values", values[0], values[1]);
        break;
    default:
        note("semget", 0, failed(semget(IPC_PRIVATE, 0, 0600)));
        note("no operation", 0, failed(semop(set, &one, 0)));
    }
}

static void key_call(int me)
{
    int k = draw(N_KEYS);
    switch (draw(4)) {
    case 0: {
        pthread_key_t fresh;
        int error = pthread_key_create(&fresh, 0);
        note("key_create", k, error);
        if (error == 0) {
            note("reused", k, fresh == keys[k]);
            keys[k] = fresh;
        }
        break;
    }
    case 1:
        note("key_delete", k, pthread_key_delete(keys[k]));
        break;
    case 2:
        note("setspecific", k, pthread_setspecific(keys[k], &keys[draw(N_KEYS)]));
        break;
    default: {
        pthread_key_t *value = pthread_getspecific(keys[k]);
        note("getspecific", k, value ? (int)(value - keys) : -1);
    }
    }
}

static void thread_call(int me)
{
    char name[16];
    struct timespec past = {1, 0}, now;
    switch (draw(9)) {
    case 0:
        note("join itself", me, pthread_join(pthread_self(), 0));
        break;
    case 1:
        if (me == 1)
            note("tryjoin", me, pthread_tryjoin_np(other, 0));
        break;
    case 2:
        if (me == 1)
            note("clockjoin", me, pthread_clockjoin_np(other, 0, draw(2) ? CLOCK_REALTIME : 8, &past));
        break;
    case 3:
        note("setname", me, pthread_setname_np(pthread_self(), draw(4) ? (me == 1 ? "first" : "second") : "much too long a name"));
        pthread_getname_np(pthread_self(), name, sizeof name);
        note("getname", me, name[0] == 'f' ? 1 : name[0] == 's' ? 2 : 0);
        note("short getname", me, pthread_getname_np(pthread_self(), name, 1));
        break;
    case 4:
        note("clock_gettime", me, failed(clock_gettime(draw(2) ? 77 : CLOCK_BOOTTIME, &now)));
        break;
    case 5:
        past.tv_sec = 0;
        past.tv_nsec = is_bad_time() ? -1 : 1;
        note("clock_nanosleep", me, clock_nanosleep(draw(2) ? CLOCK_MONOTONIC : CLOCK_THREAD_CPUTIME_ID, 0, &past, 0));
        note("nanosleep", me, failed(nanosleep(&past, 0)));
        break;
    case 6:
        note("barrier_wait", me, pthread_barrier_wait(&barrier));
        break;
    case 7:
        if (!spinner || draw(2)) {
            int error = pthread_spin_trylock(&spin);
            note("spin_trylock", me, error);
            if (error == 0)
                spinner = me;
        } else if (spinner == me) {
            note("spin_unlock", me, pthread_spin_unlock(&spin));
            spinner = 0;
        }
        break;
    default:
        note("signal", me, pthread_cond_signal(&condition));
        note("broadcast", me, pthread_cond_broadcast(&condition));
    }
}

static void step(int me)
{
    switch (draw(6)) {
    case 0:
    case 1:
        return mutex_call(me);
    case 2:
        return rwlock_call(me);
    case 3:
        return semaphore_call(me);
    case 4:
        return draw(2) ? sysv_call(me) : key_call(me);
    default:
        return thread_call(me);
    }
}

static void *work(void *unused)
{
    for (;;) {
        sem_wait(&turn[2]);
        if (state == 0)
            return 0;
        step(2);
        sem_post(&turn[1]);
    }
}

int main(int argc, char **argv)
{
    state = 7919u * atoi(argv[2]) + 1;
    snprintf(own_names[0], sizeof own_names[0], "/burnside-calls-%d", getpid());
    snprintf(own_names[1], sizeof own_names[1], "burnside-other-calls-%d", getpid());
    for (int m = 0; m < N_MUTEXES; m++) {
        pthread_mutexattr_t attributes;
        pthread_mutexattr_init(&attributes);
        pthread_mutexattr_settype(&attributes, types[m]);
        if (m == 3)
            pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
        pthread_mutex_init(&mutexes[m], &attributes);
    }
    for (int k = 0; k < N_KEYS; k++)
        pthread_key_create(&keys[k], 0);
    pthread_spin_init(&spin, 0);
    pthread_barrier_init(&barrier, 0, 1);
    sem_init(&semaphore, 0, draw(2));
    sem_init(&turn[1], 0, 0);
    sem_init(&turn[2], 0, 0);
    sem_unlink(own_names[0]);
    sem_unlink(own_names[1]);
    set = semget(IPC_PRIVATE, 2, 0600);
    pthread_create(&other, 0, work, 0);
    for (int i = 0; i < N_STEPS; i++) {
        if (draw(2)) {
            step(1);
        } else {
            sem_post(&turn[2]);
            sem_wait(&turn[1]);
        }
    }
    semctl(set, 0, IPC_RMID);
    sem_unlink(own_names[0]);
    sem_unlink(own_names[1]);
    state = 0;
    sem_post(&turn[2]);
    int file = open(argv[1], O_WRONLY | O_CREAT | O_TRUNC, 0600);
    write(file, text, length);
    close(file);
    _exit(0);
}
