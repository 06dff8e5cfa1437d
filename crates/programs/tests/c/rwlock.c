/* Readers-writer lock, barrier, spin lock, recursive mutex, thread-local data; correct. */
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_barrier_t barrier;
static pthread_spinlock_t spin;
static pthread_mutex_t again;
static pthread_key_t key;
static __thread int own;
static int value, destroyed;

static void destroy(void *at)
{
    assert(at == &own);
    destroyed++;
}

static void *writer(void *unused)
{
    (void)unused;
    own = 5;
    pthread_setspecific(key, &own);
    pthread_barrier_wait(&barrier);
    pthread_rwlock_wrlock(&lock);
    value++;
    value++;
    pthread_rwlock_unlock(&lock);
    pthread_mutex_lock(&again);
    pthread_mutex_lock(&again);
    pthread_mutex_unlock(&again);
    pthread_mutex_unlock(&again);
    assert(own == 5);
    return 0;
}

int main(void)
{
    pthread_t thread;
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&again, &attributes);
    pthread_barrier_init(&barrier, 0, 2);
    pthread_spin_init(&spin, 0);
    pthread_key_create(&key, destroy);
    pthread_create(&thread, 0, writer, 0);
    pthread_barrier_wait(&barrier);
    pthread_rwlock_rdlock(&lock);
    assert(value % 2 == 0);
    pthread_rwlock_unlock(&lock);
    pthread_spin_lock(&spin);
    assert(own == 0);
    pthread_spin_unlock(&spin);
    pthread_join(thread, 0);
    assert(value == 2 && destroyed == 1);
    return 0;
}
