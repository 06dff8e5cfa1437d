// An exception nobody catches, and destructors that `pthread_exit` runs.
// expect -DTHROW: abort
// expect -DEXIT: holds
// expect -DSTATIC: abort
#include <cassert>
#include <mutex>
#include <pthread.h>
#include <thread>

static std::mutex m;
static int n_destroyed;

struct Guarded {
    ~Guarded() { n_destroyed++; }
};

static void *leave(void *)
{
    Guarded guarded;
    std::lock_guard<std::mutex> guard(m);
    pthread_exit(nullptr);
}

#ifdef STATIC
static std::thread never_joined;
#endif

int main()
{
#if defined THROW
    std::thread thrower([] {
        m.lock();
        m.unlock();
        throw 1;
    });
    thrower.join();
#elif defined STATIC
    never_joined = std::thread([] { std::lock_guard<std::mutex> guard(m); });
#else
    pthread_t a, b;
    pthread_create(&a, nullptr, leave, nullptr);
    pthread_create(&b, nullptr, leave, nullptr);
    pthread_join(a, nullptr);
    pthread_join(b, nullptr);
    assert(n_destroyed == 2);
#endif
    return 0;
}
