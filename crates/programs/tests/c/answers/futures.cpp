// What the C++ library builds on futexes inside itself is its own business.
// expect: holds
// expect watched: holds
// expect -DLATCH: inconclusive
// expect watched -DLATCH: holds
#include <cassert>
#include <future>
#include <latch>
#include <thread>

int main()
{
#ifdef LATCH
    std::latch both(2);
    std::thread other([&] { both.count_down(); });
    both.arrive_and_wait();
    other.join();
#else
    std::promise<int> promise;
    std::future<int> future = promise.get_future();
    std::thread other([&] { promise.set_value(3); });
    assert(future.get() == 3);
    other.join();
#endif
    return 0;
}
