// Where threads sleep when there is nothing to do.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <thread>

namespace pto_rt::native {

inline void relax()
{
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    asm volatile("yield");
#endif
}

// An event count: a sleeper announces itself, looks once more for work, then sleeps until the epoch changes. A waker
// publishes its work first and touches the epoch only if somebody has announced himself, so waking nobody costs a load.
class Parking {
public:
    // Blocks until `ready()` returns true. It spins for `spin` first; `spin` of zero sleeps at once.
    template <class Ready>
    void wait(Ready&& ready, std::chrono::microseconds spin)
    {
        const auto deadline = std::chrono::steady_clock::now() + spin;
        while (spin.count() > 0) {
            for (int i = 0; i < 32; ++i) {
                if (ready()) return;
                relax();
            }
            if (std::chrono::steady_clock::now() >= deadline) break;
        }
        for (;;) {
            sleepers_.fetch_add(1, std::memory_order_seq_cst);
            std::atomic_thread_fence(std::memory_order_seq_cst);
            const uint32_t epoch = epoch_.load(std::memory_order_seq_cst);
            const bool done = ready();
            if (!done) epoch_.wait(epoch, std::memory_order_seq_cst);
            sleepers_.fetch_sub(1, std::memory_order_relaxed);
            if (done || ready()) return;
        }
    }

    void wake_one() { wake(false); }
    void wake_all() { wake(true); }

private:
    void wake(bool all)
    {
        std::atomic_thread_fence(std::memory_order_seq_cst);
        if (sleepers_.load(std::memory_order_seq_cst) == 0) return;
        epoch_.fetch_add(1, std::memory_order_seq_cst);
        if (all) {
            epoch_.notify_all();
        } else {
            epoch_.notify_one();
        }
    }

    alignas(64) std::atomic<uint32_t> sleepers_{0};
    alignas(64) std::atomic<uint32_t> epoch_{0};
};

}  // namespace pto_rt::native
