/* Dining philosophers on mutexes; main is the last of them. -DORDERED removes the deadlock. */
#include <pthread.h>
#ifndef N
#define N 3
#endif
pthread_mutex_t fork_[N];

static void *dine(void *argument)
{
    int left = (int)(long)argument, right = (left + 1) % N;
#ifdef ORDERED
    if (left > right) {
        int swap = left;
        left = right;
        right = swap;
    }
#endif
    pthread_mutex_lock(&fork_[left]);
    pthread_mutex_lock(&fork_[right]);
    pthread_mutex_unlock(&fork_[left]);
    pthread_mutex_unlock(&fork_[right]);
    return 0;
}

int main(void)
{
    pthread_t thread[N];
    for (int i = 0; i < N; i++)
        pthread_mutex_init(&fork_[i], 0);
    for (long i = 0; i < N - 1; i++)
        pthread_create(&thread[i], 0, dine, (void *)i);
    dine((void *)(long)(N - 1));
    for (int i = 0; i < N - 1; i++)
        pthread_join(thread[i], 0);
    return 0;
}
