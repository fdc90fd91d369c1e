#include "driver.hpp"

#include "parking.hpp"
#include "signals.hpp"

namespace pto_rt::native {

namespace {

// The driver polls between calls in a loop, the caller while a short run lasts; then they sleep.
constexpr std::chrono::microseconds kDriverSpin{50};
constexpr std::chrono::microseconds kCallerSpin{20};

template <class Ready>
bool poll(Ready&& ready, std::chrono::microseconds spin)
{
    if (ready()) return true;
    if (spin.count() == 0) return false;
    const auto end = std::chrono::steady_clock::now() + spin;
    do {
        for (int i = 0; i < 16; ++i) {
            if (ready()) return true;
            relax();
        }
    } while (std::chrono::steady_clock::now() < end);
    return false;
}

}  // namespace

Driver::Driver()
{
    if (std::thread::hardware_concurrency() > 1) {
        driver_spin_ = kDriverSpin;
        caller_spin_ = kCallerSpin;
    }
    SignalsBlocked guard;
    thread_ = std::thread(&Driver::main, this);
}

Driver::~Driver()
{
    wait(std::chrono::nanoseconds::max());
    {
        std::lock_guard guard(lock_);
        state_.store(State::Ended, std::memory_order_seq_cst);
    }
    driver_called_.notify_one();
    thread_.join();
}

void Driver::start(Job job, void* context)
{
    job_ = job;
    context_ = context;
    state_.store(State::Given, std::memory_order_seq_cst);
    if (driver_sleeps_.load(std::memory_order_seq_cst)) {
        std::lock_guard guard(lock_);
        driver_called_.notify_one();
    }
}

bool Driver::wait(std::chrono::nanoseconds most)
{
    const auto over = [this] { return state_.load(std::memory_order_seq_cst) != State::Given; };
    if (poll(over, caller_spin_)) return true;
    std::unique_lock guard(lock_);
    caller_sleeps_.store(true, std::memory_order_seq_cst);
    bool ended = true;
    if (most == std::chrono::nanoseconds::max()) {
        caller_called_.wait(guard, over);
    } else {
        ended = caller_called_.wait_for(guard, most, over);
    }
    caller_sleeps_.store(false, std::memory_order_relaxed);
    return ended;
}

void Driver::main()
{
    self_.adopt();
    pthread_setname_np(pthread_self(), "pto-driver");
    const auto called = [this] { return state_.load(std::memory_order_seq_cst) != State::Idle; };
    for (;;) {
        if (!poll(called, driver_spin_)) {
            std::unique_lock guard(lock_);
            driver_sleeps_.store(true, std::memory_order_seq_cst);
            driver_called_.wait(guard, called);
            driver_sleeps_.store(false, std::memory_order_relaxed);
        }
        if (state_.load(std::memory_order_seq_cst) == State::Ended) return;
        result_ = job_(context_);
        state_.store(State::Idle, std::memory_order_seq_cst);
        if (caller_sleeps_.load(std::memory_order_seq_cst)) {
            std::lock_guard guard(lock_);
            caller_called_.notify_all();
        }
    }
}

}  // namespace pto_rt::native
