// System V semaphores: what does not wait, what times out, what is removed.
// expect -DNOWAIT -DWANT=0: assertion
// expect -DNOWAIT -DWANT=1: assertion
// expect -DGET -DWANT=0: assertion
// expect -DGET -DWANT=1: assertion
// expect -DALL -DWANT=0: assertion
// expect -DALL -DWANT=1: assertion
// expect -DTIMEOUT -DWANT=1: assertion
// expect -DREMOVE: holds
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <sys/ipc.h>
#include <sys/sem.h>
#include <time.h>

static int set, got;

static void *post(void *unused)
{
#ifdef REMOVE
    semctl(set, 0, IPC_RMID);
#else
    struct sembuf up = {0, 1, 0};
    semop(set, &up, 1);
#endif
    return 0;
}

static void *look(void *unused)
{
#if defined NOWAIT
    struct sembuf down = {0, -1, IPC_NOWAIT};
    got = semop(set, &down, 1) == 0;
#elif defined GET
    got = semctl(set, 0, GETVAL);
#elif defined ALL
    unsigned short values[2];
    semctl(set, 0, GETALL, values);
    got = values[0];
#elif defined TIMEOUT
    struct sembuf down = {0, -1, 0};
    struct timespec second = {1, 0};
    got = semtimedop(set, &down, 1, &second) == 0;
#else
    struct sembuf down = {0, -1, 0};
    int result = semop(set, &down, 1);
    assert(result == -1 && (errno == EIDRM || errno == EINVAL));
#endif
    return 0;
}

int main(void)
{
    pthread_t a, b;
    set = semget(IPC_PRIVATE, 2, 0600);
    semctl(set, 0, SETVAL, 0);
    pthread_create(&a, 0, post, 0);
    pthread_create(&b, 0, look, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
#ifdef WANT
    assert(got == WANT);
#endif
    return 0;
}
