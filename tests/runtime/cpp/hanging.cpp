// What does not end by itself, chosen by the first argument; the second is an array to count in.
#include <chrono>
#include <cstdlib>
#include <thread>

#include <pto/orchestration.hpp>

using namespace pto_rt;

extern "C" void orchestrate(Runtime& rt, const Arguments& args)
{
    auto* count = args.tensor(1).at<int64_t>();
    volatile int64_t* counted = count;
    switch (args.scalar<int>(0)) {
        case 0:  // ends
            rt.launch("fine", Core::Vector, 1, [=] { *count = 7; });
            return;
        case 1:  // a kernel that computes
            rt.launch("spin", Core::Vector, 1, [=] { for (;;) *counted = *counted + 1; });
            return;
        case 2:  // one block of many
            rt.launch("some", Core::Vector, 8, [=] { while (get_block_idx() == 3) *counted = *counted + 1; });
            return;
        case 3:  // a kernel that is in another library most of the time
            rt.launch("allocate", Core::Vector, 1, [=] {
                for (;;) {
                    void* memory = std::malloc(100);
                    *counted = reinterpret_cast<int64_t>(memory);
                    std::free(memory);
                }
            });
            return;
        case 4:  // a kernel that sleeps
            rt.launch("sleep", Core::Vector, 1, [] { for (;;) std::this_thread::sleep_for(std::chrono::hours(1)); });
            return;
        case 5:  // an orchestration that submits for ever
            for (;;) rt.launch("empty", Core::Vector, 1, [] {});
        case 6:  // an orchestration that does not even submit
            for (;;) *counted = *counted + 1;
        case 7:  // many short tasks, a minute of them
            for (int i = 0; i < 60000; ++i) {
                rt.launch("short", Core::Vector, 1, [] { std::this_thread::sleep_for(std::chrono::milliseconds(1)); });
            }
            return;
        case 8:  // one task of many short blocks
            rt.launch("blocks", Core::Vector, 60000, [] { std::this_thread::sleep_for(std::chrono::milliseconds(1)); });
    }
}
