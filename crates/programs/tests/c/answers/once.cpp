// A function to be called once that throws is called again.
// expect: holds
#include <cassert>
#include <mutex>
#include <stdexcept>
#include <thread>

static std::once_flag flag;
static std::mutex m;
static int n_calls, n_thrown;

static void initialise()
{
    std::lock_guard<std::mutex> guard(m);
    if (n_calls++ == 0)
        throw std::runtime_error("not yet");
}

static void attempt()
{
    try {
        std::call_once(flag, initialise);
    } catch (const std::runtime_error &) {
        std::lock_guard<std::mutex> guard(m);
        n_thrown++;
    }
}

int main()
{
    std::thread a(attempt), b(attempt), c(attempt);
    a.join();
    b.join();
    c.join();
    assert(n_calls == 2 && n_thrown == 1);
    return 0;
}
