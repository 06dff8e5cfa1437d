// An atomic counter in C++ with std::thread: correct with fetch_add, not with load and store (-DSPLIT).
#include <atomic>
#include <cassert>
#include <thread>
static std::atomic<int> count;

static void work()
{
#ifdef SPLIT
    count.store(count.load() + 1);
#else
    count.fetch_add(1);
#endif
}

int main()
{
    std::thread a(work), b(work);
    a.join();
    b.join();
    assert(count == 2);
}
