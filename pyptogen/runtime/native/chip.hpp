// What both kinds of chip share: one run at a time, its failure, its workspace, its dependencies, its trace.
#pragma once

#include <chrono>
#include <cstdint>
#include <exception>
#include <mutex>
#include <string>
#include <vector>

#include "interface.hpp"
#include "kernel_thread.hpp"
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
        begin(options);
        try {
            Inside orchestration(true);
            entry(*this, args);
        } catch (...) {
            fail(std::current_exception());
        }
        const auto submitted = std::chrono::steady_clock::now();
        end_run();
        if (failed() && error_.empty()) error_ = kStopped;
        if (options.trace) trace_.end();
        watched_.fetch_and(~kTracing, std::memory_order_relaxed);
        memory_.reset();
        tracker_.clear();
        const auto end = std::chrono::steady_clock::now();
        return {Seconds(end - start).count(), Seconds(submitted - start).count(), last_id_, ring()};
    }

    // From another thread: no block starts any more, and the orchestration ends at its next submission, in the run in
    // progress and in later ones until `uncancel`.
    void cancel()
    {
        watched_.fetch_or(kCancelled, std::memory_order_seq_cst);
        failed_.store(true, std::memory_order_seq_cst);
    }
    void uncancel() { watched_.fetch_and(~kCancelled, std::memory_order_seq_cst); }

    // The chip's own threads, and how to let them be when one hangs: the chip must then stay for ever, unused.
    virtual std::vector<KernelThread*> threads() { return {}; }
    virtual void abandon() {}

    // The first failure of the last run, empty when there was none.
    const std::string& error() const { return error_; }

    // The last run that was traced.
    const Trace& trace() const { return trace_; }

    // Held by a caller from `run` until it has read `error` and `trace`.
    std::mutex& lock() { return lock_; }

    void* allocate(size_t bytes) final
    {
        return memory_.allocate(bytes, [this](uint32_t launch, bool wait) { return settle(launch, wait); });
    }
    void begin_scope() final { memory_.begin_scope(); }
    void end_scope() final { memory_.end_scope(last_id_); }

protected:
    virtual void begin_run() = 0;
    virtual void end_run() = 0;
    virtual Launch enqueue(const LaunchRequest& request) = 0;
    virtual std::vector<std::string> core_names() const = 0;
    // Launches that may be unfinished at a time; 0 when a launch has finished once it has been submitted.
    virtual uint32_t ring() const = 0;
    virtual uint32_t finished_launches() const = 0;
    // Whether all launches up to the given one have finished; waits for that if `wait`.
    virtual bool settle(uint32_t launch, bool wait) = 0;
    // All launches up to this one have finished; perhaps more. Asked once per launch with uses.
    virtual uint32_t settled_launches() = 0;

    // A kernel has failed: no block starts any more.
    void fail_kernel(std::exception_ptr failure)
    {
        fail(failure);
        failed_.store(true, std::memory_order_relaxed);
    }

    // Keeps the first failure of the run.
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
    bool tracing() const { return (watched_.load(std::memory_order_relaxed) & kTracing) != 0; }
    bool failed() const { return failed_.load(std::memory_order_relaxed); }

    uint32_t last_id_ = 0;
    Trace trace_;

private:
    static constexpr const char* kStopped = "the run was stopped";
    static constexpr uint32_t kTracing = 1;
    static constexpr uint32_t kCancelled = 2;

    void begin(const RunOptions& options)
    {
        error_.clear();
        last_id_ = 0;
        failed_.store(false, std::memory_order_seq_cst);
        policy_.store(options.policy, std::memory_order_relaxed);
        if (options.trace) {
            trace_.begin(core_names());
            watched_.fetch_or(kTracing, std::memory_order_relaxed);
        }
        if ((watched_.load(std::memory_order_seq_cst) & kCancelled) != 0)
            failed_.store(true, std::memory_order_seq_cst);
        begin_run();
    }

    Launch submit(const LaunchRequest& request) final
    {
        const bool plain = request.use_count == 0 || ring() == 0;
        if (plain && watched_.load(std::memory_order_relaxed) == 0) return enqueue(request);
        return submit_with_care(request);
    }

    // Traces the launch, adds what it must wait for because of its uses, and ends a run that is cancelled.
    Launch submit_with_care(const LaunchRequest& request);

    // Idle cores look at these between runs.
    std::atomic<Policy> policy_{Policy::CriticalPath};
    std::atomic<uint32_t> watched_{0};
    std::atomic<bool> failed_{false};
    Workspace memory_;
    RegionTracker tracker_;
    std::vector<Dependency> found_;
    std::vector<Launch> after_;
    std::string error_;
    std::mutex error_lock_;
    std::mutex lock_;
};

}  // namespace pto_rt::native
