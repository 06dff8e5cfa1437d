/* Two threads that begin alike draw tickets. Whether their creator can tell them apart is the question. */
#include <assert.h>
#include <pthread.h>
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static long next_ticket;
static int next_number;
static pthread_t leader;
static long of_leader, sum;

static void *draw(void *unused)
{
#ifdef NUMBERED
    /* A plain variable that the creator changes from thread to thread. */
    volatile int number = next_number;
#endif
    pthread_mutex_lock(&mutex);
    long ticket = next_ticket++;
    sum += ticket;
#ifdef SELF
    if (pthread_equal(leader, pthread_self()))
        of_leader = ticket;
#endif
#ifdef NUMBERED
    if (number == 0)
        of_leader = ticket;
#endif
    pthread_mutex_unlock(&mutex);
#ifdef RESULT
    return (void *)ticket;
#else
    return unused;
#endif
}

int main(void)
{
    pthread_t thread[2];
    void *result[2] = { 0, 0 };
    pthread_mutex_lock(&mutex);
    for (int i = 0; i < 2; i++) {
        next_number = i;
        pthread_create(&thread[i], 0, draw, 0);
    }
    leader = thread[0];
    pthread_mutex_unlock(&mutex);
    pthread_join(thread[0], &result[0]);
    pthread_join(thread[1], &result[1]);
    assert(sum == 1);
    assert(of_leader == 0);
    assert(result[0] == 0);
    return 0;
}
