// A block of a mixed kernel on a chip of simulated cores: its cube program on the calling thread, its vector program on a
// thread beside it, because each waits for the other in the rings between them.
#ifndef PTO_SIDE_BY_SIDE_HPP
#define PTO_SIDE_BY_SIDE_HPP

#include <pthread.h>
#include <signal.h>

#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>

#include <pto/pto-inst.hpp>
#include <pto/runtime.hpp>

namespace pto_rt {

namespace detail {

// Plays the vector core beside one thread that plays cube cores; lives as long as that thread.
class VectorCore {
public:
    static VectorCore& of_this_thread()
    {
        static thread_local VectorCore core;
        return core;
    }

    // Starts `run(body)` as block `block`; the caller keeps `body` alive until `join`.
    void start(void (*run)(const void*), const void* body, uint32_t block)
    {
        if (!thread_.joinable()) begin_thread();
        {
            const std::lock_guard<std::mutex> guard(mutex_);
            run_ = run;
            body_ = body;
            block_ = block;
            busy_ = true;
        }
        changed_.notify_all();
    }

    // Waits until it is done; rethrows what it has thrown.
    void join()
    {
        std::unique_lock<std::mutex> lock(mutex_);
        changed_.wait(lock, [this] { return !busy_; });
        if (error_ != nullptr) std::rethrow_exception(std::exchange(error_, nullptr));
    }

    // Tells the pipes of this pair of threads from those of all others.
    uint64_t cookie() const { return reinterpret_cast<uintptr_t>(this) >> 4; }

    VectorCore(const VectorCore&) = delete;
    VectorCore& operator=(const VectorCore&) = delete;

private:
    VectorCore() = default;
    ~VectorCore()
    {
        if (!thread_.joinable()) return;
        {
            const std::lock_guard<std::mutex> guard(mutex_);
            stopping_ = true;
        }
        changed_.notify_all();
        thread_.join();
    }

    // Signals are for the threads of the application.
    void begin_thread()
    {
        sigset_t all, before;
        sigfillset(&all);
        pthread_sigmask(SIG_SETMASK, &all, &before);
        thread_ = std::thread([this] { work(); });
        pthread_sigmask(SIG_SETMASK, &before, nullptr);
    }

    void work()
    {
        pto::cpu_sim::set_task_cookie(cookie());
        std::unique_lock<std::mutex> lock(mutex_);
        for (;;) {
            changed_.wait(lock, [this] { return busy_ || stopping_; });
            if (stopping_) return;
            lock.unlock();
            std::exception_ptr error;
            enter_core();
            try {
                pto::cpu_sim::set_execution_context(block_, 0, 1);
                run_(body_);
            } catch (...) {
                error = std::current_exception();
            }
            leave_core();
            lock.lock();
            error_ = error;
            busy_ = false;
            changed_.notify_all();
        }
    }

    std::mutex mutex_;
    std::condition_variable changed_;
    std::thread thread_;
    void (*run_)(const void*) = nullptr;
    const void* body_ = nullptr;
    uint32_t block_ = 0;
    bool busy_ = false;
    bool stopping_ = false;
    std::exception_ptr error_;
};

}  // namespace detail

// Runs one block of a mixed kernel: `cube()` here and `vector()` beside it. To be called from the body of a launch.
template <class Cube, class Vector>
void side_by_side(const Cube& cube, const Vector& vector)
{
    detail::VectorCore& beside = detail::VectorCore::of_this_thread();
    const auto run = [](const void* body) { (*static_cast<const Vector*>(body))(); };
    beside.start(run, &vector, static_cast<uint32_t>(get_block_idx()));
    const uint64_t before = get_task_cookie();
    pto::cpu_sim::set_task_cookie(beside.cookie());
    cube();
    pto::cpu_sim::set_task_cookie(before);
    beside.join();
}

}  // namespace pto_rt

#endif
