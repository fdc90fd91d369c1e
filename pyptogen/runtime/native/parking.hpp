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

// A lock for a few instructions. It yields when the holder does not get on, as on a machine with too few processors.
class SpinLock {
public:
    void lock()
    {
        for (int tries = 0; taken_.exchange(true, std::memory_order_seq_cst); ++tries) {
            if (tries < 64) {
                relax();
            } else {
                std::this_thread::yield();
            }
        }
    }
    // Sequentially consistent: what was written before is seen by whoever this thread then finds asleep.
    void unlock() { taken_.store(false, std::memory_order_seq_cst); }

private:
    std::atomic<bool> taken_{false};
};

// Where the cores of a group sleep, each in a place of its own. A sleeper sets its bit, looks once more for work, then
// waits. A waker publishes its work first and clears a bit; whose bit it was is woken, once, however much work arrives
// before that thread runs. Waking nobody costs a load.
class Parking {
public:
    static constexpr size_t kPlaces = 256;

    // Blocks until `ready()` returns true. It polls for `spin` first, ever less often; zero sleeps at once.
    template <class Ready>
    void wait(size_t place, Ready&& ready, std::chrono::microseconds spin)
    {
        if (spin.count() > 0) {
            const auto deadline = std::chrono::steady_clock::now() + spin;
            for (int pauses = 1;; pauses = pauses < kMostPauses ? 2 * pauses : pauses) {
                for (int poll = 0; poll < 8; ++poll) {
                    if (ready()) return;
                    for (int i = 0; i < pauses; ++i) relax();
                }
                if (std::chrono::steady_clock::now() >= deadline) break;
            }
        }
        std::atomic<uint32_t>& called = called_[place].flag;
        while (!ready()) {
            called.store(0, std::memory_order_relaxed);
            asleep_[place / 64].fetch_or(bit(place), std::memory_order_seq_cst);
            std::atomic_thread_fence(std::memory_order_seq_cst);
            if (ready()) {
                // A call that comes now all the same wakes the next sleep in vain.
                asleep_[place / 64].fetch_and(~bit(place), std::memory_order_relaxed);
                return;
            }
            called.wait(0, std::memory_order_acquire);
        }
    }

    // All three are to be called after a sequentially consistent store that published the work.
    void wake_one()
    {
        for (size_t word = 0; word < kPlaces / 64; ++word) {
            uint64_t asleep = asleep_[word].load(std::memory_order_seq_cst);
            while (asleep != 0) {
                if (wake(64 * word + static_cast<size_t>(__builtin_ctzll(asleep)))) return;
                asleep = asleep_[word].load(std::memory_order_seq_cst);
            }
        }
    }

    void wake_all()
    {
        for (size_t place = 0; place < kPlaces; ++place) wake(place);
    }

    // False when nobody sleeps there.
    bool wake(size_t place)
    {
        if ((asleep_[place / 64].load(std::memory_order_seq_cst) & bit(place)) == 0) return false;
        if ((asleep_[place / 64].fetch_and(~bit(place), std::memory_order_acq_rel) & bit(place)) == 0) return false;
        called_[place].flag.store(1, std::memory_order_release);
        called_[place].flag.notify_one();
        return true;
    }

private:
    static constexpr int kMostPauses = 8;

    struct alignas(64) Call {
        std::atomic<uint32_t> flag{0};
    };

    static uint64_t bit(size_t place) { return uint64_t{1} << place % 64; }

    alignas(64) std::atomic<uint64_t> asleep_[kPlaces / 64] = {};
    Call called_[kPlaces];
};

}  // namespace pto_rt::native
