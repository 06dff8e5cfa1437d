/* The threads of C11: a time-out that the program takes for success. -DFIXED looks again. */
#include <assert.h>
#include <threads.h>
#include <time.h>
static mtx_t mutex;
static cnd_t changed;
static tss_t key;
static once_flag once = ONCE_FLAG_INIT;
static int ready, initialised;

static void initialise(void) { initialised++; }

static int await(void *unused)
{
    (void)unused;
    struct timespec deadline;
    call_once(&once, initialise);
    tss_set(key, &ready);
    timespec_get(&deadline, TIME_UTC);
    deadline.tv_sec += 60;
    mtx_lock(&mutex);
#ifdef FIXED
    while (!ready)
        cnd_wait(&changed, &mutex);
#else
    if (!ready)
        cnd_timedwait(&changed, &mutex, &deadline);
#endif
    assert(ready && initialised == 1 && tss_get(key) == &ready);
    mtx_unlock(&mutex);
    return 7;
}

int main(void)
{
    thrd_t thread;
    int result;
    mtx_init(&mutex, mtx_plain);
    cnd_init(&changed);
    tss_create(&key, 0);
    thrd_create(&thread, await, 0);
    call_once(&once, initialise);
    mtx_lock(&mutex);
    ready = 1;
    cnd_signal(&changed);
    mtx_unlock(&mutex);
    thrd_join(thread, &result);
    assert(result == 7);
    return 0;
}
