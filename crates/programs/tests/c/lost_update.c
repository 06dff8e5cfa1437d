/* A counter without a lock: two threads, one update. Seen only when memory accesses are visible. */
#include <assert.h>
#include <pthread.h>
static int count;

static void *work(void *unused)
{
    (void)unused;
    count = count + 1;
    return 0;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, work, 0);
    pthread_create(&b, 0, work, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(count == 2);
    return 0;
}
