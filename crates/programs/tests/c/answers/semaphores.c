// A post against every operation that never waits: both orders are possible, and each of the two outcomes is refuted.
// expect -DTRY -DWANT=0: assertion
// expect -DTRY -DWANT=1: assertion
// expect -DTIMED -DWANT=0: assertion
// expect -DTIMED -DWANT=1: assertion
// expect -DVALUE -DWANT=0: assertion
// expect -DVALUE -DWANT=1: assertion
// expect -DGONE: misuse
// expect -DDESTROY: misuse
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <time.h>

static sem_t items;
static int got;

static void *post(void *unused)
{
    sem_post(&items);
    return 0;
}

static void *look(void *unused)
{
#if defined TRY
    got = sem_trywait(&items) == 0;
#elif defined TIMED
    struct timespec deadline;
    clock_gettime(CLOCK_REALTIME, &deadline);
    deadline.tv_sec += 1;
    got = sem_timedwait(&items, &deadline) == 0;
#elif defined VALUE
    sem_getvalue(&items, &got);
#else
    sem_destroy(&items);
#ifdef GONE
    sem_wait(&items);
#endif
#endif
    return 0;
}

int main(void)
{
    pthread_t a, b;
    sem_init(&items, 0, 0);
    pthread_create(&a, 0, post, 0);
    pthread_create(&b, 0, look, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
#ifdef WANT
    assert(got == WANT);
#endif
    return 0;
}
