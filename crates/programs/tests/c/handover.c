/* One signal, two waiters: the one that has nothing to do may take it. -DBROADCAST mends that. */
#include <pthread.h>
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int turn = -1;

static void *await(void *argument)
{
    int mine = (int)(long)argument;
    pthread_mutex_lock(&mutex);
    while (turn != mine)
        pthread_cond_wait(&changed, &mutex);
    turn = 1;
#ifdef BROADCAST
    pthread_cond_broadcast(&changed);
#endif
    pthread_mutex_unlock(&mutex);
    return 0;
}

int main(void)
{
    pthread_t first, second;
    pthread_create(&first, 0, await, (void *)0);
    pthread_create(&second, 0, await, (void *)1);
    pthread_mutex_lock(&mutex);
    turn = 0;
#ifdef BROADCAST
    pthread_cond_broadcast(&changed);
#else
    pthread_cond_signal(&changed);
#endif
    pthread_mutex_unlock(&mutex);
    pthread_join(first, 0);
    pthread_join(second, 0);
    return 0;
}
