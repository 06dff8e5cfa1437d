/* Two System V semaphores, taken both at once, or one after the other in opposite orders. */
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <sys/ipc.h>
#include <sys/sem.h>

static int set;
static int inside;

static void change(int first, int second, int by, int flags)
{
    struct sembuf both[] = { { first, by, flags }, { second, by, flags } };
#ifdef APART
    semop(set, &both[0], 1);
    semop(set, &both[1], 1);
#else
    semop(set, both, 2);
#endif
}

static void *work(void *number)
{
    int first = number != 0, second = !first;
    change(first, second, -1, 0);
    assert(inside++ == 0);
    inside--;
    change(first, second, 1, 0);
    return 0;
}

int main(void)
{
    union { int val; } one = { 1 };
    set = semget(IPC_PRIVATE, 2, 0600);
    semctl(set, 0, SETVAL, one);
    /* The second is not there: taking both without waiting changes neither. */
    struct sembuf both[] = { { 0, -1, IPC_NOWAIT }, { 1, -1, IPC_NOWAIT } };
    assert(semop(set, both, 2) == -1 && errno == EAGAIN);
    assert(semctl(set, 0, GETVAL) == 1);
    semctl(set, 1, SETVAL, one);
    pthread_t threads[2];
    pthread_create(&threads[0], 0, work, 0);
    pthread_create(&threads[1], 0, work, &set);
    pthread_join(threads[0], 0);
    pthread_join(threads[1], 0);
    return 0;
}
