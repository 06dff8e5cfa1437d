/* A semaphore with a name is the same whoever opens it; another name is another one. */
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#ifdef OTHER
#define SECOND "/burnside-second"
#else
#define SECOND "/burnside-first"
#endif

static sem_t *second;

static void *give(void *unused)
{
    sem_post(second);
    return unused;
}

int main(void)
{
    sem_t *first = sem_open("/burnside-first", O_CREAT | O_EXCL, 0600, 0);
    assert(first != SEM_FAILED);
    assert(sem_open("/burnside-first", O_CREAT | O_EXCL, 0600, 0) == SEM_FAILED);
    second = sem_open(SECOND, O_CREAT, 0600, 0);
    pthread_t thread;
    pthread_create(&thread, 0, give, 0);
    sem_wait(first);
    pthread_join(thread, 0);
    sem_close(first);
    sem_unlink("/burnside-first");
    assert(sem_open("/burnside-first", 0) == SEM_FAILED);
    return 0;
}
