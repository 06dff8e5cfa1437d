// Threads with the same routine and argument that can be told apart after all.
// expect -DPLAIN: holds
// expect -DPUBLISH: assertion
// expect -DGETTID: assertion
// expect -DONE_JOIN: deadlock
// expect -DNULL_RESULT: assertion
// expect -DTRYJOIN: deadlock
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static sem_t go;
static int n, *first, winner;
static long lowest, early;

static void *work(void *unused)
{
    int mine = 0;
#ifdef PUBLISH
    if (!first)
        first = &mine;
#endif
#ifdef GETTID
    long id = syscall(SYS_gettid);
    if (!lowest || id < lowest)
        lowest = id;
#endif
    pthread_mutex_lock(&m);
    int rank = n++;
    if (rank == 0) {
        winner = first == &mine;
#ifdef GETTID
        early = id;
#endif
    }
    pthread_mutex_unlock(&m);
#if defined ONE_JOIN || defined TRYJOIN
    if (rank == 1)
        sem_wait(&go);
#endif
    return (void *)(long)rank;
}

int main(void)
{
    pthread_t t[2];
    void *result;
    sem_init(&go, 0, 0);
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], 0, work, 0);
#ifdef TRYJOIN
    while (pthread_tryjoin_np(t[0], 0))
        pthread_mutex_lock(&m), pthread_mutex_unlock(&m), n < 2 ? 0 : sem_wait(&go);
    sem_post(&go);
#else
    pthread_join(t[0], &result);
#endif
#ifdef ONE_JOIN
    sem_post(&go);
#endif
    pthread_join(t[1], 0);
#ifdef PUBLISH
    assert(winner);
#endif
#ifdef GETTID
    assert(early == lowest);
#endif
#ifdef NULL_RESULT
    assert(result == 0);
#endif
    return 0;
}
