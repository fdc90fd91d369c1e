// What both kinds of chip share: one run at a time, its failure, its workspace, its dependencies, its trace.
#pragma once

#include <chrono>
#include <cstdint>
#include <exception>
#include <mutex>
#include <string>
#include <vector>

#include "interface.hpp"
#include "ready_queue.hpp"
#include "regions.hpp"
#include "trace.hpp"
#include "workspace.hpp"

namespace pto_rt::native {

using Entry = void (*)(Runtime& rt, const void* args);

// How one run is made.
struct RunOptions {
    Policy policy = Policy::CriticalPath;
    bool trace = false;
};

// What one run was like.
struct RunReport {
    double seconds;
    double submit_seconds;  // until the orchestration returned
    uint64_t launches;
    uint64_t ring;  // launches that the chip can hold at a time
};

class Chip : public Runtime {
public:
    virtual ~Chip() = default;

    // Runs one operator to the end. A failure is left in `error()`.
    RunReport run(Entry entry, const void* args, const RunOptions& options)
    {
        using Seconds = std::chrono::duration<double>;
        const auto start = std::chrono::steady_clock::now();
        error_.clear();
        last_id_ = 0;
        policy_.store(options.policy, std::memory_order_relaxed);
        if (options.trace) trace_.begin(core_names());
        tracing_.store(options.trace, std::memory_order_relaxed);
        begin_run();
        try {
            entry(*this, args);
        } catch (...) {
            fail(std::current_exception());
        }
        const auto submitted = std::chrono::steady_clock::now();
        end_run();
        if (options.trace) trace_.end();
        tracing_.store(false, std::memory_order_relaxed);
        memory_.reset();
        tracker_.clear();
        const auto end = std::chrono::steady_clock::now();
        return {Seconds(end - start).count(), Seconds(submitted - start).count(), last_id_, ring()};
    }

    // The first failure of the last run, empty when there was none.
    const std::string& error() const { return error_; }

    // The last run that was traced.
    const Trace& trace() const { return trace_; }

    // Held by a caller from `run` until it has read `error` and `trace`.
    std::mutex& lock() { return lock_; }

    void* workspace(size_t bytes) final { return memory_.allocate(bytes); }

protected:
    virtual void begin_run() = 0;
    virtual void end_run() = 0;
    virtual Launch enqueue(const LaunchRequest& request) = 0;
    virtual std::vector<std::string> core_names() const = 0;
    // Launches that may be unfinished at a time; 0 when a launch has finished once it has been submitted.
    virtual uint32_t ring() const = 0;
    virtual uint32_t finished_launches() const = 0;
    // All launches up to this one have finished; perhaps more. Asked once per launch with uses.
    virtual uint32_t settled_launches() = 0;

    void fail(std::exception_ptr failure)
    {
        std::lock_guard guard(error_lock_);
        if (!error_.empty()) return;
        try {
            std::rethrow_exception(failure);
        } catch (const std::bad_alloc&) {
            error_ = "out of memory";
        } catch (const std::exception& e) {
            error_ = e.what();
        } catch (...) {
            error_ = "an exception of an unknown type";
        }
        if (error_.empty()) error_ = "an exception without a message";
    }

    Policy policy() const { return policy_.load(std::memory_order_relaxed); }
    bool tracing() const { return tracing_.load(std::memory_order_relaxed); }

    uint32_t last_id_ = 0;
    Trace trace_;

private:
    Launch submit(const LaunchRequest& request) final
    {
        const bool plain = request.use_count == 0 || ring() == 0;
        if (plain && !tracing()) return enqueue(request);
        return submit_with_uses(request);
    }

    // Adds what the launch must wait for because of its uses.
    Launch submit_with_uses(const LaunchRequest& request);

    // Idle cores look at both between runs.
    std::atomic<Policy> policy_{Policy::CriticalPath};
    std::atomic<bool> tracing_{false};
    Workspace memory_;
    RegionTracker tracker_;
    std::vector<Dependency> found_;
    std::vector<Launch> after_;
    std::string error_;
    std::mutex error_lock_;
    std::mutex lock_;
};

}  // namespace pto_rt::native
