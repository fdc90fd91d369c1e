// Threads that run kernels, and how one that hangs in a kernel is taken out of action.
#pragma once

#include <pthread.h>

#include <atomic>
#include <vector>

namespace pto_rt::native {

// What the rest of the program must know of such a thread.
struct KernelThread {
    pthread_t id{};
    // True while it runs code of an operator: a kernel or the orchestration.
    std::atomic<bool> inside{false};
    // True for ever once it has been parked.
    std::atomic<bool> parked{false};

    // To be called once, on the thread itself, which blocks all signals.
    void adopt();
};

// The record of the calling thread; null for a thread of the application, which cannot be parked.
inline thread_local KernelThread* this_kernel_thread = nullptr;

// Marks the calling thread as inside (or outside) of an operator's code until the scope ends.
class Inside {
public:
    explicit Inside(bool inside) : thread_(this_kernel_thread)
    {
        if (thread_ == nullptr) return;
        before_ = thread_->inside.load(std::memory_order_relaxed);
        thread_->inside.store(inside, std::memory_order_relaxed);
    }
    Inside(const Inside&) = delete;
    Inside& operator=(const Inside&) = delete;
    ~Inside()
    {
        if (thread_ != nullptr) thread_->inside.store(before_, std::memory_order_relaxed);
    }

private:
    KernelThread* thread_;
    bool before_ = false;
};

// Parks those of the threads that are inside of the operator whose code `entry` belongs to: each sleeps from then on,
// with all that it holds. A thread is stopped only where it runs the operator's own instructions, never inside of malloc
// or another library that holds locks; so this looks again for at most a second. Returns how many are still inside.
int park(const std::vector<KernelThread*>& threads, const void* entry);

}  // namespace pto_rt::native
