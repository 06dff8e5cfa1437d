// Workers with a block of their own that the first thread knows too are not interchangeable.
// expect: assertion
// expect -DLAST: assertion
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int n_begun;

static void *work(void *argument)
{
    int *place = argument;
    pthread_mutex_lock(&m);
    *place = n_begun++;
    pthread_mutex_unlock(&m);
    return 0;
}

#ifdef LAST
/* What is known is the last word of the last block on the heap, where the allocator's free memory begins, too. */
static long *known;

static void *work_at_end(void *argument)
{
    pthread_mutex_lock(&m);
    ((long *)argument)[2] = n_begun++;
    pthread_mutex_unlock(&m);
    return 0;
}

static void begin(pthread_t *thread)
{
    long *block = calloc(3, sizeof(long));
    known = &block[2];
    pthread_create(thread, 0, work_at_end, block);
}

int main(void)
{
    pthread_t threads[3];
    for (int i = 0; i < 3; i++)
        begin(&threads[i]);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], 0);
    assert(*known == 2);
    return 0;
}
#else
int main(void)
{
    pthread_t threads[3];
    int *places[3];
    for (int i = 0; i < 3; i++) {
        places[i] = calloc(1, sizeof(int));
        pthread_create(&threads[i], 0, work, places[i]);
    }
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], 0);
    assert(!(*places[0] == 1 && *places[1] == 2));
    return 0;
}
#endif
