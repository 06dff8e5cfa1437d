// What the C library does to watched memory in place of the program.
// expect watched -DCOPY: assertion
// expect watched -DFILL: assertion
// expect watched -DCOMPARE: assertion
// expect watched -DSTRING: assertion
// expect watched -DALONE: holds
// expect watched -DREUSED: holds
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static char from[32] = {1}, to[32];
static volatile int n = 32;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void use_block(void)
{
    int *block = malloc(sizeof *block);
    *block = 1;
    pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m);
    free(block);
}

static void *work(void *unused)
{
#if defined COPY
    memcpy(to, from, n);
#elif defined FILL
    memset(to, 1, n);
#elif defined COMPARE
    to[0] = 1;
#elif defined STRING
    strcpy(to, "a");
#elif defined ALONE
    char own[64];
    memset(own, 1, n);
    memcpy(own + 32, own, n);
    assert(own[63] == 1);
#elif defined REUSED
    use_block();
#endif
    return 0;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
#if defined COMPARE
    assert(memcmp(to, "", 1) == 0);
#elif defined REUSED
    use_block();
#elif !defined ALONE
    assert(to[0] == 0);
#endif
    pthread_join(thread, 0);
    return 0;
}
