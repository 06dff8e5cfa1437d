/* Variables of the first thread that another thread gets the address of. */
#include <assert.h>
#include <pthread.h>

struct text {
    char letters[200];
};
static struct text empty;

static void *count(void *counter)
{
    ++*(int *)counter;
    return 0;
}

static void *clear(void *text)
{
    *(struct text *)text = empty;
    return 0;
}

int main(void)
{
    pthread_t thread;
#ifdef COPY
    /* The last byte of many is read while they are written. */
    struct text text = { { [199] = 1 } };
    pthread_create(&thread, 0, clear, &text);
    int before = text.letters[199];
    pthread_join(thread, 0);
    assert(before == 1);
#else
    int counter = 0;
    pthread_create(&thread, 0, count, &counter);
#ifdef JOINED
    pthread_join(thread, 0);
    ++counter;
#else
    ++counter;
    pthread_join(thread, 0);
#endif
    assert(counter == 2);
#endif
    return 0;
}
