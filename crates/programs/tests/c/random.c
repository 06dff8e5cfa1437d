/* Carries out a random program, which is given as text: `random FILE ALIKE MAIN WORKER...`. Each code is a row of
   instructions of two characters, an operation and the number of its object; what an attempt holds stands between it and
   `}.`, and is left out if it fails. Results are noted by each thread for itself, and every note is written to FILE at
   once, so the file has all histories that a thread can have, and at the end of an execution a line for the whole.
   Variables are used under the mutex of their number, or are atomic and watched. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sem.h>
#include <time.h>
#include <unistd.h>

/* The interpreter itself is not a part of what is watched. */
#define UNWATCHED __attribute__((no_sanitize("thread")))

enum { N_LOCKS = 4, N_WORKERS = 4, SIZE = 400 };

struct notes {
    const char *name;
    int length;
    char text[SIZE];
};

static pthread_mutex_t mutexes[N_LOCKS];
static pthread_rwlock_t rwlocks[2];
static pthread_cond_t conditions[2];
static sem_t semaphores[2];
static pthread_barrier_t barrier;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_spinlock_t spin;
static int sysv, file;
static pthread_t workers[N_WORKERS];
static const char *code_of_all, *codes[N_WORKERS];
static char finished[N_WORKERS + 1][SIZE];
static int n_finished, n_initialised;
static long guarded[N_LOCKS];
static atomic_long watched[2];

static long load(int n) { return atomic_load(&watched[n]); }
static void store(int n, long value) { atomic_store(&watched[n], value); }
static long add(int n) { return atomic_fetch_add(&watched[n], 1); }
static long swap(int n, long old)
{
    return atomic_compare_exchange_strong(&watched[n], &old, old + 1);
}

UNWATCHED static void put(const char *text, int length)
{
    if (write(file, text, length) != length)
        abort();
}

UNWATCHED static void note(struct notes *own, char what, long result)
{
    char line[SIZE + 32];
    own->length += snprintf(own->text + own->length, sizeof own->text - own->length, "%c%ld ", what, result);
    put(line, snprintf(line, sizeof line, "%s: %s\n", own->name, own->text));
}

UNWATCHED static struct timespec soon(void)
{
    struct timespec time;
    clock_gettime(CLOCK_REALTIME, &time);
    time.tv_nsec += 1000000;
    if (time.tv_nsec >= 1000000000) {
        time.tv_nsec -= 1000000000;
        time.tv_sec++;
    }
    return time;
}

UNWATCHED static void initialise(void) { n_initialised++; }

UNWATCHED static int operate(int number, int change, int flags)
{
    struct sembuf one = {number, change, flags};
    return semop(sysv, &one, 1) ? errno : 0;
}

UNWATCHED static const char *after(const char *code)
{
    for (int depth = 1; depth; code += 2)
        depth += (strchr("TMxyzZj", *code) != 0) - (*code == '}');
    return code;
}

UNWATCHED static void carry_out(const char *code, struct notes *own)
{
    while (*code) {
        char what = *code;
        int n = code[1] - '0', attempt = 0;
        struct timespec time = {0, 0};
        if (strchr("MzZtq", what))
            time = soon();
        code += 2;
        switch (what) {
        case 'L': if ((attempt = pthread_mutex_lock(&mutexes[n]))) note(own, what, attempt); attempt = 0; break;
        case 'T': attempt = pthread_mutex_trylock(&mutexes[n]); break;
        case 'M': attempt = pthread_mutex_timedlock(&mutexes[n], &time); break;
        case 'U': if ((attempt = pthread_mutex_unlock(&mutexes[n]))) note(own, what, attempt); attempt = 0; break;
        case 'D': note(own, what, pthread_mutex_destroy(&mutexes[n])); pthread_mutex_init(&mutexes[n], 0); break;
        case 'r': pthread_rwlock_rdlock(&rwlocks[n]); break;
        case 'w': pthread_rwlock_wrlock(&rwlocks[n]); break;
        case 'x': attempt = pthread_rwlock_tryrdlock(&rwlocks[n]); break;
        case 'y': attempt = pthread_rwlock_trywrlock(&rwlocks[n]); break;
        case 'z': attempt = pthread_rwlock_timedrdlock(&rwlocks[n], &time); break;
        case 'Z': attempt = pthread_rwlock_timedwrlock(&rwlocks[n], &time); break;
        case 'u': pthread_rwlock_unlock(&rwlocks[n]); break;
        case 'W': pthread_cond_wait(&conditions[n], &mutexes[0]); note(own, what, 0); break;
        case 't': note(own, what, pthread_cond_timedwait(&conditions[n], &mutexes[0], &time)); break;
        case 'S': pthread_cond_signal(&conditions[n]); break;
        case 'B': pthread_cond_broadcast(&conditions[n]); break;
        case 'P': sem_wait(&semaphores[n]); break;
        case 'p': note(own, what, sem_trywait(&semaphores[n]) ? errno : 0); break;
        case 'q': note(own, what, sem_timedwait(&semaphores[n], &time) ? errno : 0); break;
        case 'V': sem_post(&semaphores[n]); break;
        case 'g': { int value; sem_getvalue(&semaphores[n], &value); note(own, what, value); break; }
        case 'e': note(own, what, sem_destroy(&semaphores[n])); sem_init(&semaphores[n], 0, 1); break;
        case 'A': operate(n, -1, 0); break;
        case 'a': note(own, what, operate(n, -1, IPC_NOWAIT)); break;
        case 'C': operate(n, 1, 0); break;
        case 'c': operate(n, 0, 0); break;
        case 'd': { struct sembuf both[] = {{0, -1, 0}, {1, 1, 0}}; semop(sysv, both, 2); break; }
        case 'G': note(own, what, semctl(sysv, n, GETVAL)); break;
        case 'b': note(own, what, pthread_barrier_wait(&barrier)); break;
        case 'o': pthread_once(&once, initialise); note(own, what, n_initialised); break;
        case 'K': pthread_spin_lock(&spin); break;
        case 'j': attempt = pthread_spin_trylock(&spin); break;
        case 'k': pthread_spin_unlock(&spin); break;
        case 'J': note(own, what, pthread_tryjoin_np(workers[n], 0)); break;
        case 'Y': sched_yield(); break;
        case 'N': usleep(1000); break;
        case 'v': note(own, what, guarded[n] = guarded[n] * 3 + (*own->name == 'm' ? 1 : 2)); break;
        case 'R': note(own, what, load(n)); break;
        case 'E': store(n, 7); break;
        case 'F': note(own, what, add(n)); break;
        case 'H': note(own, what, swap(n, 1)); break;
        case 'X': return;
        }
        if (attempt) {
            note(own, what, attempt);
            code = after(code);
        }
    }
}

UNWATCHED static void end(struct notes *own)
{
    snprintf(finished[n_finished++], SIZE, "%s: %s", own->name, own->text);
}

UNWATCHED static void *alike(void *unused)
{
    struct notes own = {"w", 0, ""};
    carry_out(code_of_all, &own);
    end(&own);
    return unused;
}

UNWATCHED static void *work(void *code)
{
    static const char *const names[] = {"1", "2", "3", "4"};
    struct notes own = {names[(const char **)code - codes], 0, ""};
    carry_out(*(const char **)code, &own);
    end(&own);
    return 0;
}

UNWATCHED static int compare(const void *a, const void *b) { return strcmp(a, b); }

UNWATCHED int main(int n_arguments, char **arguments)
{
    struct notes own = {"m", 0, ""};
    int n_workers = n_arguments - 4, is_alike = arguments[2][0] == '1', n_joined = 0;
    char line[(N_WORKERS + 2) * SIZE];
    file = open(arguments[1], O_WRONLY | O_CREAT | O_APPEND, 0600);
    for (int n = 0; n < N_LOCKS; n++) {
        static const int types[] = {PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_RECURSIVE,
                                    PTHREAD_MUTEX_ERRORCHECK};
        pthread_mutexattr_t type;
        pthread_mutexattr_init(&type);
        pthread_mutexattr_settype(&type, types[n]);
        pthread_mutex_init(&mutexes[n], &type);
    }
    for (int n = 0; n < 2; n++) {
        pthread_rwlockattr_t kind;
        pthread_rwlockattr_init(&kind);
        if (n)
            pthread_rwlockattr_setkind_np(&kind, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
        pthread_rwlock_init(&rwlocks[n], &kind);
        pthread_cond_init(&conditions[n], 0);
        sem_init(&semaphores[n], 0, n);
    }
    pthread_barrier_init(&barrier, 0, 2);
    pthread_spin_init(&spin, 0);
    sysv = semget(IPC_PRIVATE, 2, 0600 | IPC_CREAT);
    semctl(sysv, 1, SETVAL, 1);
    code_of_all = arguments[4];
    for (int n = 0; n < n_workers; n++) {
        codes[n] = arguments[4 + n];
        if (pthread_create(&workers[n], 0, is_alike ? alike : work, is_alike ? 0 : &codes[n]))
            abort();
    }
    carry_out(arguments[3], &own);
    for (int n = 0; n < n_workers; n++)
        n_joined += pthread_join(workers[n], 0) == 0;
    end(&own);
    qsort(finished, n_finished, SIZE, compare);
    int length = snprintf(line, sizeof line, "end %d:", n_joined);
    for (int n = 0; n < n_finished; n++)
        length += snprintf(line + length, sizeof line - length, " %s|", finished[n]);
    for (int n = 0; n < N_LOCKS; n++)
        length += snprintf(line + length, sizeof line - length, " %ld", guarded[n]);
    for (int n = 0; n < 2; n++) {
        int value;
        sem_getvalue(&semaphores[n], &value);
        length += snprintf(line + length, sizeof line - length, " %d %d %ld", value, semctl(sysv, n, GETVAL), load(n));
    }
    line[length++] = '\n';
    put(line, length);
    return 0;
}
