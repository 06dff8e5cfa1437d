/* Gives up when the other thread was first. */
#include <pthread.h>
#include <stdlib.h>
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int was_first;

static void *race(void *unused)
{
    pthread_mutex_lock(&mutex);
    was_first = 1;
    pthread_mutex_unlock(&mutex);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, race, 0);
    pthread_mutex_lock(&mutex);
    if (was_first)
        abort();
    pthread_mutex_unlock(&mutex);
    pthread_join(thread, 0);
    return 0;
}
