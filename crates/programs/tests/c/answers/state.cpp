// What C++ programs have besides locks: exceptions between threads, pools, streams, thread ids, coroutines.
// expect -DEXCEPTION: holds
// expect -DTHROWN_INSIDE: holds
// expect -DPOOL: holds
// expect -DPOOL_LOST: deadlock
// expect watched -DPOOL_ATOMIC: deadlock
// expect -DSTREAMS: holds
// expect -DIDS: holds
// expect -DMOVED: holds
// expect -DVECTOR: holds
// expect -DRECURSIVE: holds
// expect -DSHARED_TIMED: holds
// expect -DUNIQUE: assertion
// expect -DDETACHED: holds
// expect -DSTATIC_DESTRUCTOR: deadlock
// expect -DCALL_ONCE_DEADLOCK: deadlock
// expect watched -DLATCH: holds
// expect watched -DLATCH_SHORT: deadlock
// expect watched -DATOMIC_POINTER: holds
// expect watched -DRELAXED_COUNTER: holds
// expect watched -DVECTOR_RACE: race
#include <atomic>
#include <cassert>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <future>
#include <latch>
#include <memory>
#include <mutex>
#include <queue>
#include <set>
#include <shared_mutex>
#include <sstream>
#include <stdexcept>
#include <thread>
#include <vector>

static std::mutex m;
static std::condition_variable c;
static int n;

#if defined EXCEPTION
int main()
{
    std::promise<int> promise;
    auto future = promise.get_future();
    std::thread other([&] {
        try {
            throw std::runtime_error("no");
        } catch (...) {
            promise.set_exception(std::current_exception());
        }
    });
    try {
        future.get();
        assert(false);
    } catch (const std::runtime_error &e) {
        assert(std::string(e.what()) == "no");
    }
    other.join();
}

#elif defined THROWN_INSIDE
static void work()
{
    try {
        std::lock_guard<std::mutex> guard(m);
        n++;
        throw n;
    } catch (int seen) {
        std::lock_guard<std::mutex> guard(m);
        assert(seen <= n);
    }
}
int main()
{
    std::thread a(work), b(work);
    a.join();
    b.join();
    assert(n == 2);
}

#elif defined POOL || defined POOL_LOST || defined POOL_ATOMIC
// A pool of workers with a queue of functions. Stopped without its lock, it may not wake up.
class Pool {
public:
    explicit Pool(int size)
    {
        for (int i = 0; i < size; i++)
            workers.emplace_back([this] { run(); });
    }
    void add(std::function<void()> work)
    {
        {
            std::lock_guard<std::mutex> guard(m);
            queue.push(std::move(work));
        }
        c.notify_one();
    }
    ~Pool()
    {
#if defined POOL
        {
            std::lock_guard<std::mutex> guard(m);
            stops = true;
        }
        c.notify_all();
#elif defined POOL_LOST
        {
            std::lock_guard<std::mutex> guard(m);
            stops = true;
        }
        c.notify_one();
#else
        stops = true;
        c.notify_all();
#endif
        for (auto &worker : workers)
            worker.join();
    }

private:
    void run()
    {
        for (;;) {
            std::function<void()> work;
            {
                std::unique_lock<std::mutex> lock(m);
                c.wait(lock, [this] { return stops || !queue.empty(); });
                if (queue.empty())
                    return;
                work = std::move(queue.front());
                queue.pop();
            }
            work();
        }
    }
    std::vector<std::thread> workers;
    std::queue<std::function<void()>> queue;
#ifdef POOL_ATOMIC
    std::atomic<bool> stops = false;
#else
    bool stops = false;
#endif
};
int main()
{
#ifdef POOL_ATOMIC
    Pool pool(1);
#else
    {
        Pool pool(2);
        pool.add([] {
            std::lock_guard<std::mutex> guard(m);
            n++;
        });
    }
    assert(n == 1);
#endif
}

#elif defined STREAMS
int main()
{
    auto work = [] {
        std::ostringstream stream;
        stream << 1.5 << ' ' << 42;
        std::lock_guard<std::mutex> guard(m);
        assert(stream.str() == "1.5 42");
    };
    std::thread a(work), b(work);
    a.join();
    b.join();
}

#elif defined IDS
int main()
{
    std::set<std::thread::id> ids;
    auto work = [&] {
        std::lock_guard<std::mutex> guard(m);
        ids.insert(std::this_thread::get_id());
    };
    std::thread a(work), b(work);
    a.join();
    b.join();
    assert(ids.size() == 2 && ids.count(std::this_thread::get_id()) == 0);
}

#elif defined MOVED
int main()
{
    auto value = std::make_unique<int>(4);
    std::thread other([value = std::move(value)] {
        std::lock_guard<std::mutex> guard(m);
        n += *value;
    });
    std::thread moved = std::move(other);
    assert(!other.joinable());
    moved.join();
    assert(n == 4);
}

#elif defined VECTOR
int main()
{
    std::vector<int> values;
    std::vector<std::thread> threads;
    for (int i = 0; i < 3; i++)
        threads.emplace_back([&values, i] {
            std::lock_guard<std::mutex> guard(m);
            values.push_back(i);
        });
    for (auto &thread : threads)
        thread.join();
    assert(values.size() == 3 && values[0] + values[1] + values[2] == 3);
}

#elif defined RECURSIVE
static std::recursive_mutex again;
static void descend(int depth)
{
    std::lock_guard<std::recursive_mutex> guard(again);
    n++;
    if (depth > 0)
        descend(depth - 1);
}
int main()
{
    std::thread other([] { descend(2); });
    descend(2);
    other.join();
    assert(n == 6);
}

#elif defined SHARED_TIMED
static std::shared_timed_mutex timed;
int main()
{
    std::thread other([] {
        std::unique_lock<std::shared_timed_mutex> lock(timed);
        n = 1;
    });
    if (timed.try_lock_shared_for(std::chrono::seconds(1))) {
        int seen = n;
        assert(seen == 0 || seen == 1);
        timed.unlock_shared();
    }
    other.join();
}

#elif defined UNIQUE
int main()
{
    std::thread other([] {
        std::unique_lock<std::mutex> lock(m);
        n = 1;
    });
    std::unique_lock<std::mutex> lock(m, std::try_to_lock);
    bool got = lock.owns_lock();
    if (got)
        lock.unlock();
    other.join();
    assert(got);
}

#elif defined DETACHED
int main()
{
    auto done = std::make_shared<std::promise<void>>();
    auto future = done->get_future();
    std::thread([done] { done->set_value(); }).detach();
    future.wait();
}

#elif defined STATIC_DESTRUCTOR
// A static object waits, when the program ends, for a thread that is never told to end.
struct Service {
    bool stops = false;
    std::thread thread{[this] {
        std::unique_lock<std::mutex> lock(m);
        c.wait(lock, [this] { return stops; });
    }};
    ~Service()
    {
        thread.join();
    }
};
static Service &service()
{
    static Service service;
    return service;
}
int main()
{
    service();
}

#elif defined CALL_ONCE_DEADLOCK
static std::once_flag flag;
int main()
{
    std::thread other([] {
        std::lock_guard<std::mutex> guard(m);
        std::call_once(flag, [] { n++; });
    });
    std::call_once(flag, [] { std::lock_guard<std::mutex> guard(m); });
    other.join();
}

#elif defined LATCH || defined LATCH_SHORT
int main()
{
#ifdef LATCH
    std::latch done(2);
#else
    std::latch done(3);
#endif
    auto work = [&] { done.count_down(); };
    std::thread a(work), b(work);
    done.wait();
    a.join();
    b.join();
}

#elif defined ATOMIC_POINTER
int main()
{
    std::atomic<int *> published(nullptr);
    int value = 0;
    std::thread other([&] {
        value = 5;
        published.store(&value, std::memory_order_release);
    });
    if (int *seen = published.load(std::memory_order_acquire))
        assert(*seen == 5);
    other.join();
}

#elif defined RELAXED_COUNTER
int main()
{
    std::atomic<int> count(0);
    auto work = [&] { count.fetch_add(1, std::memory_order_relaxed); };
    std::thread a(work), b(work);
    a.join();
    b.join();
    assert(count == 2);
}

#elif defined VECTOR_RACE
int main()
{
    std::vector<int> values(2);
    std::thread other([&] { values[0] = 1; });
    int seen = values[0];
    other.join();
}
#endif
