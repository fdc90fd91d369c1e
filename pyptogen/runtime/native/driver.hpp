// A thread that makes a chip's runs, for callers that must be able to leave: a thread of Python cannot be stopped inside a
// kernel, this one can.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "kernel_thread.hpp"

namespace pto_rt::native {

class Driver {
public:
    using Job = int (*)(void* context);

    // Throws std::system_error when the system allows no thread.
    Driver();
    // Waits for the job in progress.
    ~Driver();

    // Starts a job. Nothing may be in progress.
    void start(Job job, void* context);

    // Waits until nothing is in progress; false after `most`.
    bool wait(std::chrono::nanoseconds most);

    // What the last job returned.
    int result() const { return result_; }

    KernelThread& thread() { return self_; }

    // Lets the thread and the job that it hangs in be. The object must then stay for ever.
    void abandon() { thread_.detach(); }

private:
    enum class State { Idle, Given, Ended };

    void main();

    Job job_ = nullptr;
    void* context_ = nullptr;
    int result_ = 0;
    std::atomic<State> state_{State::Idle};
    std::atomic<bool> driver_sleeps_{false};
    std::atomic<bool> caller_sleeps_{false};
    std::chrono::microseconds driver_spin_{0};
    std::chrono::microseconds caller_spin_{0};
    std::mutex lock_;
    std::condition_variable driver_called_;
    std::condition_variable caller_called_;
    KernelThread self_;
    std::thread thread_;
};

}  // namespace pto_rt::native
