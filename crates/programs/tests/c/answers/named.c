// Names of semaphores: what may be one, and who gets one that was unlinked.
// expect -DAGAIN: holds
// expect -DBAD: holds
// expect -DCLOSED: holds
// expect -DSLASH: holds
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <semaphore.h>

static void *work(void *unused)
{
    return 0;
}

int main(void)
{
    pthread_t thread;
    sem_t *first, *second;
    int value;
    pthread_create(&thread, 0, work, 0);
#if defined AGAIN
    first = sem_open("/burnside-again", O_CREAT, 0600, 3);
    assert(sem_unlink("/burnside-again") == 0);
    assert(sem_open("/burnside-again", 0) == SEM_FAILED && errno == ENOENT);
    second = sem_open("/burnside-again", O_CREAT, 0600, 7);
    assert(first != second);
    sem_post(first);
    sem_getvalue(first, &value);
    assert(value == 4);
    sem_getvalue(second, &value);
    assert(value == 7);
    sem_unlink("/burnside-again");
#elif defined BAD
    assert(sem_open("", O_CREAT, 0600, 3) == SEM_FAILED && errno == EINVAL);
    assert(sem_open("/a/b", O_CREAT, 0600, 3) == SEM_FAILED && errno == EINVAL);
    assert(sem_open("/burnside-big", O_CREAT, 0600, (unsigned)INT_MAX + 1) == SEM_FAILED && errno == EINVAL);
#elif defined CLOSED
    first = sem_open("/burnside-closed", O_CREAT, 0600, 1);
    assert(sem_close(first) == 0);
    assert(sem_close((sem_t *)&value) == -1 && errno == EINVAL);
    sem_unlink("/burnside-closed");
#elif defined SLASH
    first = sem_open("/burnside-slash", O_CREAT, 0600, 1);
    second = sem_open("burnside-slash", O_CREAT, 0600, 9);
    sem_getvalue(second, &value);
    assert(value == 1);
    sem_unlink("/burnside-slash");
#endif
    pthread_join(thread, 0);
    return 0;
}
