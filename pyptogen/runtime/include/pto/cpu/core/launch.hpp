// LaunchKernelMultiCore: runs a kernel once per core, on pooled threads.
//
// The calling thread runs cores itself, and pool threads take what it has not begun yet. A core that has to wait for
// another (SYNCALL, TPOP, TWAIT) makes sure first that somebody runs every core, with one more thread if need be. So a
// launch without such waits never uses more threads than processors, and usually costs one wake-up.
#pragma once

#include <pto/cpu/core/amx.hpp>
#include <pto/cpu/core/indices.hpp>
#include <pto/cpu/core/wait.hpp>

#include <atomic>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace pto::cpu_sim {

/// What to launch. `explicit_block_count` blocks if given; otherwise as many as there are cores (`requested_cores`, or
/// PTO_CPU_SIM_NUM_CORES, or 4), at most one per work item, reduced until a core's share of the items is a multiple of
/// `work_quantum`. Every block has `subblocks_per_block` cores.
struct KernelLaunchOptions {
    std::string kernel_name;
    uint32_t requested_cores = 0;
    uint32_t total_work_items = 0;
    uint32_t work_quantum = 1;
    uint32_t subblocks_per_block = 1;
    uint32_t explicit_block_count = 0;
    bool write_trace_files = true;
};

inline uint32_t GetConfiguredCoreCount()
{
    constexpr uint32_t kDefault = 4;
    const char* text = getenv("PTO_CPU_SIM_NUM_CORES");
    const long count = text != nullptr ? strtol(text, nullptr, 10) : 0;
    return count > 0 ? static_cast<uint32_t>(count) : kDefault;
}

/// Blocks of a launch whose block count is not given; see KernelLaunchOptions.
inline uint32_t ResolveActiveCoreCount(
    uint32_t requested_cores, uint32_t total_work_items = 0, uint32_t work_quantum = 1)
{
    uint32_t cores = requested_cores != 0 ? requested_cores : GetConfiguredCoreCount();
    if (total_work_items == 0) {
        return cores;
    }
    cores = cores < total_work_items ? cores : total_work_items;
    const uint32_t quantum = work_quantum != 0 ? work_quantum : 1;
    while (cores > 1 && (total_work_items + cores - 1) / cores % quantum != 0) {
        --cores;
    }
    return cores;
}

namespace detail {

/// One launch in progress: its cores are numbered, and whoever has a thread to spare takes the next number.
struct Launch : cpu::LaunchState {
    void (*run)(const void* kernel) = nullptr;
    const void* kernel = nullptr;
    uint32_t cores = 0;
    std::atomic<uint32_t> next{0};
    std::atomic<uint32_t> running{0};   // pool threads that look at this launch
    std::atomic<uint32_t> finished{0};
    std::exception_ptr error;
    std::mutex error_mutex;
};

/// Takes the identity of the launching thread away for the length of a launch and gives it back.
class CoreIdentity {
public:
    explicit CoreIdentity(Launch& launch) : saved_(cpu::core_state())
    {
        enter_core();
        cpu::CoreState& core = cpu::core_state();
        core.launch = &launch;
        core.block_num = launch.blocks;
        core.subblock_dim = launch.subblocks;
    }
    ~CoreIdentity()
    {
        leave_core();
        cpu::CoreState& core = cpu::core_state();
        char* memory = core.memory;  // may have been allocated meanwhile
        core = saved_;
        core.memory = memory;
        core.tile_rows = 0;
    }
    CoreIdentity(const CoreIdentity&) = delete;
    CoreIdentity& operator=(const CoreIdentity&) = delete;

private:
    cpu::CoreState saved_;
};

/// Runs cores of a launch until all have been taken.
inline void run_cores(Launch& launch)
{
    if (launch.next.load(std::memory_order_relaxed) >= launch.cores) {
        return;
    }
    const CoreIdentity identity(launch);
    for (uint32_t core; (core = launch.next.fetch_add(1, std::memory_order_relaxed)) < launch.cores;) {
        cpu::CoreState& state = cpu::core_state();
        state.block_idx = core / launch.subblocks;
        state.subblock_id = core % launch.subblocks;
        state.ctrl = 0;
        try {
            launch.run(launch.kernel);
            tell_wrong_index();
            cpu::hooks::finish_kernel();
        } catch (...) {
            const std::lock_guard<std::mutex> guard(launch.error_mutex);
            if (!launch.error) {
                launch.error = std::current_exception();
            }
        }
        if constexpr (cpu::checked::kOn) {
            __atomic_fetch_add(&launch.idle, 1U, __ATOMIC_ACQ_REL);
        }
        const uint32_t ended = launch.finished.fetch_add(1, std::memory_order_acq_rel) + 1;
        if (cpu::checked::kOn && ended == launch.cores && !launch.error) {
            cpu::hooks::finish_launch(launch);
        }
    }
}

/// The threads behind all launches of a library: they run its own code for what is around a kernel.
class PTO_CPU_OWN ThreadPool {
public:
    static ThreadPool& instance()
    {
        static ThreadPool pool;
        return pool;
    }

    /// Offers a launch to `helpers` threads; starts threads where too few are idle.
    void offer(Launch& launch, uint32_t helpers)
    {
        {
            const std::lock_guard<std::mutex> guard(mutex_);
            for (uint32_t i = 0; i < helpers; ++i) {
                launch.running.fetch_add(1, std::memory_order_relaxed);
                queue_.push_back(&launch);
            }
            while (idle_ + starting_ < queue_.size()) {
                ++starting_;
                threads_.emplace_back([this] { work(); });
            }
        }
        for (uint32_t i = 0; i < helpers; ++i) {
            wake_.notify_one();
        }
    }

    /// Takes back the offers of a launch that nobody has accepted, then waits for those who have.
    void withdraw(Launch& launch)
    {
        {
            const std::lock_guard<std::mutex> guard(mutex_);
            const size_t before = queue_.size();
            std::erase(queue_, &launch);
            launch.running.fetch_sub(static_cast<uint32_t>(before - queue_.size()), std::memory_order_relaxed);
        }
        cpu::wait_until([&] { return launch.running.load(std::memory_order_acquire) == 0; });
    }

private:
    ThreadPool() = default;
    ~ThreadPool()
    {
        {
            const std::lock_guard<std::mutex> guard(mutex_);
            stopping_ = true;
        }
        wake_.notify_all();
        for (std::thread& thread : threads_) {
            thread.join();
        }
    }

    void work()
    {
        std::unique_lock<std::mutex> lock(mutex_);
        --starting_;
        for (;;) {
            ++idle_;
            wake_.wait(lock, [this] { return stopping_ || !queue_.empty(); });
            --idle_;
            if (queue_.empty()) {
                return;
            }
            Launch& launch = *queue_.front();
            queue_.erase(queue_.begin());
            lock.unlock();
            run_cores(launch);
            launch.running.fetch_sub(1, std::memory_order_release);
            lock.lock();
        }
    }

    std::mutex mutex_;
    std::condition_variable wake_;
    std::vector<Launch*> queue_;
    std::vector<std::thread> threads_;
    size_t idle_ = 0;
    size_t starting_ = 0;
    bool stopping_ = false;
};

}  // namespace detail

/// Runs `kernel()` once per core and returns when all have finished; rethrows what a core has thrown first. The cores may
/// wait for each other. The stream is a name only: launches are complete when they return.
template <typename KernelFn>
PTO_CPU_OWN inline void LaunchKernelMultiCore(const KernelLaunchOptions& options, void* stream, KernelFn&& kernel)
{
    (void)stream;
    detail::Launch launch;
    launch.subblocks = options.subblocks_per_block != 0 ? options.subblocks_per_block : 1;
    launch.blocks =
        options.explicit_block_count != 0
            ? options.explicit_block_count
            : ResolveActiveCoreCount(options.requested_cores, options.total_work_items, options.work_quantum);
    launch.cores = launch.blocks * launch.subblocks;
    launch.kernel = static_cast<const void*>(&kernel);
    launch.run = [](const void* body) {
        using Kernel = std::remove_reference_t<KernelFn>;
        (*static_cast<Kernel*>(const_cast<void*>(body)))();
    };
    launch.on_wait = [](cpu::LaunchState& state) {  // this thread is stuck: somebody else has to run the other cores
        detail::Launch& self = static_cast<detail::Launch&>(state);
        if (self.next.load(std::memory_order_relaxed) < self.cores) {
            detail::ThreadPool::instance().offer(self, 1);
        }
    };
    static std::atomic<uint64_t> launches{0};
    launch.id = launches.fetch_add(1, std::memory_order_relaxed) + 1;

    static const uint32_t processors = std::thread::hardware_concurrency();
    const uint32_t helpers = launch.cores < processors ? launch.cores - 1 : processors - (processors != 0);
    detail::ThreadPool& pool = detail::ThreadPool::instance();
    if (helpers != 0) {
        pool.offer(launch, helpers);
    }
    detail::run_cores(launch);
    pool.withdraw(launch);
    if (launch.error) {
        std::rethrow_exception(launch.error);
    }
}

}  // namespace pto::cpu_sim
