/* A thread that never comes back, but only when it takes the lock second. */
#include <pthread.h>
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static volatile int n_locked, for_ever = 1;

static void *work(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&mutex);
    if (n_locked++ == 1)
        while (for_ever)
            ;
    pthread_mutex_unlock(&mutex);
    return 0;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    pthread_join(thread, 0);
    pthread_create(&thread, 0, work, 0);
    pthread_join(thread, 0);
    return 0;
}
