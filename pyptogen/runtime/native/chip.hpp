// What both kinds of chip share: one run at a time, its failure, its workspace.
#pragma once

#include <chrono>
#include <cstdint>
#include <exception>
#include <mutex>
#include <string>

// Kernels get this from their PTO-ISA headers; the runtime itself launches through function pointers only.
namespace pto::cpu_sim {
void set_execution_context(uint32_t block_idx, uint32_t subblock_id, uint32_t subblock_dim);
}

#include "pto/runtime.hpp"
#include "workspace.hpp"

namespace pto_rt::native {

using Entry = void (*)(Runtime& rt, const void* args);

class Chip : public Runtime {
public:
    virtual ~Chip() = default;

    // Runs one operator to the end and returns the seconds it took. A failure is left in `error()`.
    double run(Entry entry, const void* args)
    {
        const auto start = std::chrono::steady_clock::now();
        error_.clear();
        begin_run();
        try {
            entry(*this, args);
        } catch (...) {
            fail(std::current_exception());
        }
        end_run();
        memory_.reset();
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    }

    // The first failure of the last run, empty when there was none.
    const std::string& error() const { return error_; }

    // Held by a caller from `run` until it has read `error`.
    std::mutex& lock() { return lock_; }

    void* workspace(size_t bytes) final { return memory_.allocate(bytes); }

protected:
    virtual void begin_run() = 0;
    virtual void end_run() = 0;

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

private:
    Workspace memory_;
    std::string error_;
    std::mutex error_lock_;
    std::mutex lock_;
};

}  // namespace pto_rt::native
