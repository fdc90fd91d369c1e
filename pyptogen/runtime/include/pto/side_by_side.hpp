// A block of a mixed kernel on a chip of simulated cores: its cube program on the calling thread, its vector program on
// one or two threads beside it, because each waits for the others in the fifos between them.
#ifndef PTO_SIDE_BY_SIDE_HPP
#define PTO_SIDE_BY_SIDE_HPP

#include <pthread.h>
#include <signal.h>

#include <exception>
#include <utility>

#include <pto/pto-inst.hpp>
#include <pto/runtime.hpp>

namespace pto_rt {

namespace detail {

// Threads are those of POSIX: <thread> and <condition_variable> take most of the time that an orchestration compiles.
struct NoThread : std::exception {
    const char* what() const noexcept override { return "the system starts no thread for a vector core"; }
};

class Locked {
public:
    explicit Locked(pthread_mutex_t& mutex) : mutex_(mutex) { pthread_mutex_lock(&mutex_); }
    ~Locked() { pthread_mutex_unlock(&mutex_); }
    Locked(const Locked&) = delete;
    Locked& operator=(const Locked&) = delete;

private:
    pthread_mutex_t& mutex_;
};

// What a vector core is to run: `run(body)` as core `subblock` of the `subblocks` vector cores of block `block`, in the
// pipes of `cookie`.
struct VectorProgram {
    void (*run)(const void*);
    const void* body;
    uint32_t block;
    uint32_t subblock;
    uint32_t subblocks;
    uint64_t cookie;
};

// Plays a vector core beside one thread that plays cube cores; lives as long as that thread.
class VectorCore {
public:
    __attribute__((visibility("hidden"))) static VectorCore& of_this_thread(uint32_t subblock)
    {
        static thread_local VectorCore cores[2];
        return cores[subblock];
    }

    // Starts a program; the caller keeps its body alive until `join`.
    void start(const VectorProgram& program)
    {
        if (!started_) begin_thread();
        {
            const Locked locked(mutex_);
            program_ = program;
            busy_ = true;
        }
        pthread_cond_broadcast(&changed_);
    }

    // Waits until it is done; what it has thrown.
    std::exception_ptr join()
    {
        const Locked locked(mutex_);
        while (busy_) pthread_cond_wait(&changed_, &mutex_);
        return std::exchange(error_, nullptr);
    }

    // Tells the pipes between a thread and the core beside it from those of all others. The object is longer than the
    // 16 bytes that one number stands for, so the next number is free.
    uint64_t cookie() const { return reinterpret_cast<uintptr_t>(this) >> 4; }

    VectorCore(const VectorCore&) = delete;
    VectorCore& operator=(const VectorCore&) = delete;

private:
    VectorCore() = default;
    ~VectorCore()
    {
        if (!started_) return;
        {
            const Locked locked(mutex_);
            stopping_ = true;
        }
        pthread_cond_broadcast(&changed_);
        pthread_join(thread_, nullptr);
    }

    // Signals are for the threads of the application.
    void begin_thread()
    {
        sigset_t all, before;
        sigfillset(&all);
        pthread_sigmask(SIG_SETMASK, &all, &before);
        const auto run = [](void* core) -> void* { return static_cast<VectorCore*>(core)->work(), nullptr; };
        started_ = pthread_create(&thread_, nullptr, run, this) == 0;
        pthread_sigmask(SIG_SETMASK, &before, nullptr);
        if (!started_) throw NoThread();
    }

    void work()
    {
        for (;;) {
            if (!next()) return;
            std::exception_ptr error;
            enter_core();
            try {
                pto::cpu_sim::set_task_cookie(program_.cookie);
                pto::cpu_sim::set_execution_context(program_.block, program_.subblock, program_.subblocks);
                begin_kernel();
                program_.run(program_.body);
                tell_wrong_index();
            } catch (...) {
                error = std::current_exception();
            }
            leave_core();
            {
                const Locked locked(mutex_);
                error_ = error;
                busy_ = false;
            }
            pthread_cond_broadcast(&changed_);
        }
    }

    // Waits for a program; false where there will be none.
    bool next()
    {
        const Locked locked(mutex_);
        while (!busy_ && !stopping_) pthread_cond_wait(&changed_, &mutex_);
        return !stopping_;
    }

    pthread_mutex_t mutex_ = PTHREAD_MUTEX_INITIALIZER;
    pthread_cond_t changed_ = PTHREAD_COND_INITIALIZER;
    pthread_t thread_ = {};
    bool started_ = false;
    VectorProgram program_ = {};
    bool busy_ = false;
    bool stopping_ = false;
    std::exception_ptr error_;
};

}  // namespace detail

// Runs one block of a mixed kernel: `cube()` here and `vector()` beside it, on each of `Subblocks` vector cores. To be
// called from the body of a launch.
template <uint32_t Subblocks = 1, class Cube, class Vector>
void side_by_side(const Cube& cube, const Vector& vector)
{
    static_assert(Subblocks == 1 || Subblocks == 2, "a cube core has two vector cores beside it");
    using detail::VectorCore;
    const auto run = [](const void* body) { (*static_cast<const Vector*>(body))(); };
    // Pipes remember how many cores took part in them, so those of two cores are others than those of one.
    const uint64_t cookie = VectorCore::of_this_thread(0).cookie() + (Subblocks - 1);
    for (uint32_t subblock = 0; subblock < Subblocks; ++subblock) {
        VectorCore::of_this_thread(subblock).start(
            {run, &vector, static_cast<uint32_t>(get_block_idx()), subblock, Subblocks, cookie});
    }
    const uint64_t before = get_task_cookie();
    pto::cpu_sim::set_task_cookie(cookie);
    cube();
    pto::cpu_sim::set_task_cookie(before);
    std::exception_ptr errors[Subblocks];  // all are done before one of their errors goes on
    for (uint32_t subblock = 0; subblock < Subblocks; ++subblock)
        errors[subblock] = VectorCore::of_this_thread(subblock).join();
    for (const std::exception_ptr& error : errors) {
        if (error != nullptr) std::rethrow_exception(error);
    }
}

}  // namespace pto_rt

#endif
