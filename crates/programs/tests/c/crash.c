/* A null pointer, but only when the other thread comes first. */
#include <pthread.h>
#include <stddef.h>
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int cell, *at = &cell;

static void *clear(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&mutex);
    at = NULL;
    pthread_mutex_unlock(&mutex);
    return 0;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, clear, 0);
    pthread_mutex_lock(&mutex);
    *at = 1;
    pthread_mutex_unlock(&mutex);
    pthread_join(thread, 0);
    return 0;
}
