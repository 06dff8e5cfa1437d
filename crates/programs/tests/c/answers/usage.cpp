// What C++ programs do with threads, right and wrong: futures, shared mutexes, stop tokens, thread-local destructors.
// expect -DASYNC: holds
// expect -DDEFERRED: holds
// expect -DBROKEN: holds
// expect -DSHARED_FUTURE: holds
// expect -DPACKAGED: holds
// expect -DWAIT_FOR: assertion
// expect -DSHARED_MUTEX: holds
// expect -DSHARED_UPGRADE: deadlock
// expect -DCROSSED: deadlock
// expect -DSTOP: holds
// expect -DNO_STOP: deadlock
// expect -DPREDICATE: assertion
// expect -DTIMED: assertion
// expect -DMAGIC_STATIC: holds
// expect -DLOCAL_COUNTS: holds
// expect -DLOCAL_LOCKS: deadlock
// expect -DJOINABLE: abort
// expect -DAT_THREAD_EXIT: holds
// expect -DSTOP_CALLBACK: holds
// expect watched -DSTOP_CALLBACK: holds
// expect watched -DSEMAPHORE: holds
// expect watched -DSEMAPHORE_MISSING: deadlock
// expect watched -DBARRIER: holds
// expect watched -DATOMIC_WAIT: holds
// expect watched -DATOMIC_MISSING: deadlock
// expect watched -DFLAG: holds
// expect watched -DPOINTERS: holds
// expect watched -DPOINTERS_RACE: assertion
#include <atomic>
#include <barrier>
#include <cassert>
#include <chrono>
#include <condition_variable>
#include <future>
#include <memory>
#include <mutex>
#include <semaphore>
#include <shared_mutex>
#include <stop_token>
#include <thread>

using namespace std::chrono_literals;

static std::mutex m, m2;
static std::condition_variable c;
static int n;

#if defined ASYNC
int main()
{
    auto a = std::async(std::launch::async, [] { return 1; });
    auto b = std::async(std::launch::async, [] { return 2; });
    assert(a.get() + b.get() == 3);
}

#elif defined DEFERRED
int main()
{
    auto who = std::async(std::launch::deferred, [] { return std::this_thread::get_id(); });
    std::thread other([] {});
    assert(who.get() == std::this_thread::get_id());
    other.join();
}

#elif defined BROKEN
int main()
{
    std::future<int> future;
    std::thread other;
    {
        std::promise<int> promise;
        future = promise.get_future();
        other = std::thread([promise = std::move(promise)] {});
    }
    try {
        future.get();
        assert(false);
    } catch (const std::future_error &e) {
        assert(e.code() == std::future_errc::broken_promise);
    }
    other.join();
}

#elif defined SHARED_FUTURE
int main()
{
    std::promise<int> promise;
    std::shared_future<int> future = promise.get_future().share();
    std::thread a([future] { assert(future.get() == 7); }), b([future] { assert(future.get() == 7); });
    promise.set_value(7);
    a.join();
    b.join();
}

#elif defined PACKAGED
int main()
{
    std::packaged_task<int(int)> task([](int x) { return 2 * x; });
    auto future = task.get_future();
    std::thread other(std::move(task), 21);
    assert(future.get() == 42);
    other.join();
}

#elif defined WAIT_FOR
int main()
{
    std::promise<void> promise;
    auto future = promise.get_future();
    std::thread other([&] { promise.set_value(); });
    auto status = future.wait_for(1s);
    other.join();
    assert(status == std::future_status::ready);
}

#elif defined SHARED_MUTEX
static std::shared_mutex shared;
int main()
{
    auto read = [] {
        std::shared_lock<std::shared_mutex> lock(shared);
        assert(n % 2 == 0);
    };
    auto write = [] {
        std::unique_lock<std::shared_mutex> lock(shared);
        n++;
        std::this_thread::yield();
        n++;
    };
    std::thread a(read), b(read), w(write);
    a.join();
    b.join();
    w.join();
}

#elif defined SHARED_UPGRADE
static std::shared_mutex shared;
int main()
{
    auto upgrade = [] {
        std::shared_lock<std::shared_mutex> lock(shared);
        shared.lock();
        shared.unlock();
    };
    std::thread a(upgrade), b(upgrade);
    a.join();
    b.join();
}

#elif defined CROSSED
static void both(std::mutex &first, std::mutex &second)
{
    std::lock_guard<std::mutex> one(first), two(second);
    n++;
}
int main()
{
    std::thread other([] { both(m, m2); });
    both(m2, m);
    other.join();
    assert(n == 2);
}

#elif defined STOP || defined NO_STOP
int main()
{
    std::condition_variable_any any;
    std::jthread other([&](std::stop_token token) {
        std::unique_lock<std::mutex> lock(m);
#ifdef STOP
        bool came = any.wait(lock, token, [] { return n > 0; });
#else
        any.wait(lock, [] { return n > 0; });
        bool came = true;
#endif
        assert(came == (n > 0));
    });
}

#elif defined PREDICATE
int main()
{
    std::thread other([] {
        std::lock_guard<std::mutex> lock(m);
        n = 1;
        c.notify_one();
    });
    bool came;
    {
        std::unique_lock<std::mutex> lock(m);
        came = c.wait_for(lock, 10ms, [] { return n == 1; });
    }
    other.join();
    assert(came);
}

#elif defined TIMED
static std::timed_mutex timed;
int main()
{
    std::thread other([] {
        std::lock_guard<std::timed_mutex> lock(timed);
        std::this_thread::yield();
    });
    bool got = timed.try_lock_for(1s);
    if (got)
        timed.unlock();
    other.join();
    assert(got);
}

#elif defined MAGIC_STATIC
static int make()
{
    std::lock_guard<std::mutex> lock(m);
    return ++n;
}
static int instance()
{
    static int value = make();
    return value;
}
int main()
{
    std::thread a([] { assert(instance() == 1); }), b([] { assert(instance() == 1); });
    a.join();
    b.join();
    assert(n == 1);
}

#elif defined LOCAL_COUNTS || defined LOCAL_LOCKS
struct Local {
    int used = 0;
    ~Local()
    {
        std::lock_guard<std::mutex> lock(m);
        n += used;
    }
};
static thread_local Local local;
int main()
{
    std::thread a([] { local.used = 1; }), b([] { local.used = 2; });
#ifdef LOCAL_LOCKS
    std::lock_guard<std::mutex> lock(m);
#endif
    a.join();
    b.join();
    assert(n == 3);
}

#elif defined JOINABLE
int main()
{
    std::thread other([] {});
}

#elif defined AT_THREAD_EXIT
int main()
{
    std::thread other([] {
        std::unique_lock<std::mutex> lock(m);
        n = 1;
        std::notify_all_at_thread_exit(c, std::move(lock));
    });
    {
        std::unique_lock<std::mutex> lock(m);
        c.wait(lock, [] { return n == 1; });
    }
    other.join();
}

#elif defined STOP_CALLBACK
int main()
{
    std::stop_source source;
    int calls = 0;
    {
        std::stop_callback callback(source.get_token(), [&] { calls++; });
        std::thread other([&] { source.request_stop(); });
        other.join();
    }
    assert(calls == 1 && !source.request_stop());
}

#elif defined SEMAPHORE || defined SEMAPHORE_MISSING
int main()
{
    std::binary_semaphore ready(0), done(0);
    std::thread other([&] {
        ready.acquire();
        n = 1;
#ifdef SEMAPHORE
        done.release();
#endif
    });
    ready.release();
    done.acquire();
    assert(n == 1);
    other.join();
}

#elif defined BARRIER
int main()
{
    int rounds = 0;
    auto complete = [&]() noexcept { rounds++; };
    std::barrier meet(2, complete);
    std::thread other([&] { meet.arrive_and_wait(); });
    meet.arrive_and_wait();
    assert(rounds == 1);
    other.join();
}

#elif defined ATOMIC_WAIT || defined ATOMIC_MISSING
int main()
{
    std::atomic<int> word(0);
    std::thread other([&] {
        word = 1;
#ifdef ATOMIC_WAIT
        word.notify_one();
#endif
    });
    word.wait(0);
    assert(word == 1);
    other.join();
}

#elif defined FLAG
static std::atomic_flag flag = ATOMIC_FLAG_INIT;
int main()
{
    auto add = [] {
        while (flag.test_and_set())
            ;
        n++;
        flag.clear();
    };
    std::thread other(add);
    add();
    other.join();
    assert(n == 2);
}

#elif defined POINTERS || defined POINTERS_RACE
int main()
{
    auto shared = std::make_shared<int>(1);
    std::weak_ptr<int> weak = shared;
    std::thread other([weak] {
        if (auto strong = weak.lock())
            assert(*strong == 1);
    });
#ifdef POINTERS_RACE
    *shared = 2;
#endif
    shared.reset();
    other.join();
    assert(weak.expired());
}
#endif
