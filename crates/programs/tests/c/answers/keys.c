// A key that is deleted and created anew knows nothing of what was stored under the old one.
// expect -DOWN: holds
// expect -DOTHER: holds
// expect -DDESTRUCTOR: holds
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>

static pthread_key_t key;
static int n_destroyed;
static sem_t stored, deleted;

static void destroy(void *unused)
{
    n_destroyed++;
}

static void *work(void *unused)
{
    pthread_setspecific(key, &n_destroyed);
    sem_post(&stored);
    sem_wait(&deleted);
#ifdef OTHER
    assert(pthread_getspecific(key) == 0);
#endif
    return 0;
}

int main(void)
{
    pthread_t thread;
    pthread_key_t again;
    sem_init(&stored, 0, 0);
    sem_init(&deleted, 0, 0);
    assert(pthread_key_create(&key, destroy) == 0);
    pthread_setspecific(key, &again);
    pthread_create(&thread, 0, work, 0);
    sem_wait(&stored);
    assert(pthread_key_delete(key) == 0);
    assert(pthread_key_delete(key) == EINVAL);
    assert(pthread_setspecific(key, 0) == EINVAL);
#ifndef DESTRUCTOR
    assert(pthread_key_create(&again, destroy) == 0 && again == key);
    assert(pthread_getspecific(again) == 0);
#endif
    sem_post(&deleted);
    pthread_join(thread, 0);
    assert(n_destroyed == 0);
    return 0;
}
