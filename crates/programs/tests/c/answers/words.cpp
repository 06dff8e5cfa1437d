// C++: random numbers of the processor, strings that the library copies, static variables, futexes beside other words.
// expect -DDEVICE: inconclusive
// expect watched -DSTRING: assertion
// expect watched -DSTATIC: holds
// expect watched -DHALF: holds
#include <atomic>
#include <cassert>
#include <random>
#include <string>
#include <thread>

static std::string text(100, 'a');
static struct alignas(8) {
    int other;
    std::atomic<int> word;
} pair;

struct Made {
    int value;
    Made() : value(5) {}
};

static int made()
{
    static Made one;
    return one.value;
}

int main()
{
#if defined DEVICE
    std::random_device device;
    std::thread thread([] {});
    volatile unsigned drawn = device();
#elif defined STRING
    std::thread thread([] { text[50] = 'b'; });
    std::string copy = text;
    assert(copy[50] == 'a');
#elif defined STATIC
    std::thread thread([] { assert(made() == 5); });
    assert(made() == 5);
#elif defined HALF
    std::thread thread([] {
        pair.word.wait(0);
        assert(pair.word == 1);
    });
    pair.word = 1;
    pair.word.notify_one();
#endif
    thread.join();
}
