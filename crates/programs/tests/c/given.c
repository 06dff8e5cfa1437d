/* N workers, each of which is given nothing, or by -DNUMBER its number, by -DOBJECT an element of an array, by -DBLOCK a
   block of the heap that nobody else knows. Each uses what it was given under a lock. The address of the last word of the
   last block is also known by -DPUBLISH to a variable, by -DSTREAM to the C library. */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#ifndef N
#define N 3
#endif
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long slots[N];
static long n_done;
long *known;

static void *work(void *given)
{
    pthread_mutex_lock(&lock);
#ifdef NUMBER
    slots[(long)given]++;
#elif defined OBJECT
    ++*(long *)given;
#elif defined BLOCK
    n_done += *(long *)given - 1;
#endif
    n_done++;
    pthread_mutex_unlock(&lock);
    return 0;
}

static void begin(pthread_t *thread, long number)
{
    void *given = 0;
#ifdef NUMBER
    given = (void *)number;
#elif defined OBJECT
    given = &slots[number];
#elif defined BLOCK
    given = malloc(3 * sizeof(long));
    *(long *)given = 1;
#ifdef PUBLISH
    known = (long *)given + 2;
#elif defined STREAM
    setvbuf(stderr, (char *)given + 2 * sizeof(long), _IOFBF, sizeof(long));
#endif
#endif
    pthread_create(thread, 0, work, given); /* the line that a report names */
}

int main(void)
{
    pthread_t threads[N];
    for (long i = 0; i < N; i++)
        begin(&threads[i], i);
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], 0);
    assert(n_done == N);
    return 0;
}
