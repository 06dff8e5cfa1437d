/* N workers that are told their number and have a slot each; -DMEET lets them meet at a barrier instead. */
#include <assert.h>
#include <pthread.h>
#ifndef N
#define N 3
#endif
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t barrier;
static long slots[N];
static int n_done, n_serial;

static void *work(void *argument)
{
#ifdef MEET
    int serial = pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD;
#else
    int serial = 0;
    slots[(long)argument]++;
#endif
    pthread_mutex_lock(&lock);
    n_done++;
    n_serial += serial;
    pthread_mutex_unlock(&lock);
    return 0;
}

int main(void)
{
    pthread_t threads[N];
    pthread_barrier_init(&barrier, 0, N);
    for (long i = 0; i < N; i++)
#ifdef MEET
        pthread_create(&threads[i], 0, work, 0);
#else
        pthread_create(&threads[i], 0, work, (void *)i);
#endif
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], 0);
    assert(n_done == N);
#ifdef MEET
    assert(n_serial == 1);
#endif
    return 0;
}
