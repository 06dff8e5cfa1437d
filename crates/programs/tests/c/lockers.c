/* N threads with K critical sections each: as many traces as there are orders of sections. */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#ifndef N
#define N 3
#endif
#ifndef K
#define K 1
#endif
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int *count;

static void *work(void *unused)
{
    (void)unused;
    for (int i = 0; i < K; i++) {
        pthread_mutex_lock(&mutex);
        ++*count;
        pthread_mutex_unlock(&mutex);
    }
    return 0;
}

int main(void)
{
    pthread_t thread[N];
    count = calloc(1, sizeof *count);
    for (int i = 0; i < N; i++)
        pthread_create(&thread[i], 0, work, 0);
    for (int i = 0; i < N; i++)
        pthread_join(thread[i], 0);
    assert(*count == N * K);
    free(count);
    return 0;
}
