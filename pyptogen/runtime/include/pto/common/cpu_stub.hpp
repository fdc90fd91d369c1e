// The device intrinsics that a kernel may call: pipes, flags, barriers and the identity of a block.
#pragma once

#include <pto/cpu/checked/hooks.hpp>
#include <pto/cpu/core/core.hpp>
#include <pto/cpu/core/indices.hpp>

#include <time.h>

#define PTO_CPUSTUB_HPP  // kernels ask for it where they do something else without a device

// Kernels that are also compiled without this pipe bring a macro for it.
#ifdef PIPE_FIX
#undef PIPE_FIX
#endif

typedef int pipe_t;
using event_t = int;

constexpr pipe_t PIPE_S = 0;
constexpr pipe_t PIPE_V = 1;
constexpr pipe_t PIPE_MTE1 = 2;
constexpr pipe_t PIPE_MTE2 = 3;
constexpr pipe_t PIPE_MTE3 = 4;
constexpr pipe_t PIPE_M = 5;
constexpr pipe_t PIPE_ALL = 6;
constexpr pipe_t PIPE_FIX = 7;

constexpr event_t EVENT_ID0 = 0;
constexpr event_t EVENT_ID1 = 1;
constexpr event_t EVENT_ID2 = 2;
constexpr event_t EVENT_ID3 = 3;
constexpr event_t EVENT_ID4 = 4;
constexpr event_t EVENT_ID5 = 5;
constexpr event_t EVENT_ID6 = 6;
constexpr event_t EVENT_ID7 = 7;

#define EVENT_ID_MAX 8

#if defined(PTO_CHECKED)
namespace pto::cpu::checked {
inline void on_set_flag(pipe_t source, pipe_t destination, event_t id, const char* file, int line);
inline void on_wait_flag(pipe_t source, pipe_t destination, event_t id, const char* file, int line);
inline void on_barrier(pipe_t pipe, const char* file, int line);
}  // namespace pto::cpu::checked

inline void set_flag(
    pipe_t source, pipe_t destination, event_t id, const char* file = __builtin_FILE(), int line = __builtin_LINE())
{
    pto::cpu::checked::on_set_flag(source, destination, id, file, line);
}
inline void wait_flag(
    pipe_t source, pipe_t destination, event_t id, const char* file = __builtin_FILE(), int line = __builtin_LINE())
{
    pto::cpu::checked::on_wait_flag(source, destination, id, file, line);
}
inline void pipe_barrier(pipe_t pipe, const char* file = __builtin_FILE(), int line = __builtin_LINE())
{
    pto::cpu::checked::on_barrier(pipe, file, line);
}
#else
// All pipes of a core are one instruction stream here, so order is program order.
PTO_INLINE void set_flag(pipe_t, pipe_t, event_t) {}
PTO_INLINE void wait_flag(pipe_t, pipe_t, event_t) {}
PTO_INLINE void pipe_barrier(pipe_t) {}
#endif

// One coherent memory: writing back a cache line, or waiting for memory, is a fence.
using mem_dsb_t = int;
inline constexpr mem_dsb_t DSB_ALL = 0;
inline constexpr mem_dsb_t DSB_DDR = 1;
inline constexpr mem_dsb_t DSB_UB = 2;
struct cache_line_t {
    static constexpr int SINGLE_CACHE_LINE = 0;
    static constexpr int ENTIRE_DATA_CACHE = 1;
    static constexpr int CACHELINE_OUT = 2;
};
struct dcci_dst_t {
    static constexpr int CACHELINE_OUT = 2;
};
PTO_INLINE void dcci(const volatile void*, int) { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
PTO_INLINE void dcci(const volatile void*, int, int) { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
PTO_INLINE void dsb(mem_dsb_t) { __atomic_thread_fence(__ATOMIC_SEQ_CST); }

inline uint64_t get_ctrl() { return pto::cpu::core_state().ctrl; }
inline void set_ctrl(uint64_t value) { pto::cpu::core_state().ctrl = value; }
inline uint64_t sbitset1(uint64_t value, int bit) { return value | (uint64_t(1) << bit); }
inline uint64_t sbitset0(uint64_t value, int bit) { return value & ~(uint64_t(1) << bit); }
#define set_mask_norm(...)
#define set_vector_mask(...)

namespace pto::cpu_sim {

/// Says which block (and sub-block) the calling thread runs until the next call. A kernel begins with CTRL 0.
inline void set_execution_context(uint32_t block_idx, uint32_t subblock_id, uint32_t subblock_dim = 1)
{
    cpu::hooks::finish_kernel();
    cpu::CoreState& core = cpu::core_state();
    core.block_idx = block_idx;
    core.subblock_id = subblock_id;
    core.subblock_dim = subblock_dim == 0 ? 1 : subblock_dim;
    core.ctrl = 0;
    core.wrong_index.noted = false;  // of a block that ended with another failure
}

inline void reset_execution_context() { set_execution_context(0, 0, 1); }

/// Says how many blocks the current launch has (what get_block_num() answers on the calling thread).
inline void set_block_num(uint32_t block_num) { cpu::core_state().block_num = block_num; }

/// The identity of a task, as the host numbers it: pipes with different cookies share nothing.
inline void set_task_cookie(uint64_t cookie) { cpu::core_state().task_cookie = cookie; }

/// Gives the calling thread another identity for as long as the object lives.
class ScopedExecutionContext {
public:
    ScopedExecutionContext(uint32_t block_idx, uint32_t subblock_id, uint32_t subblock_dim = 1)
        : block_idx_(cpu::core_state().block_idx),
          subblock_id_(cpu::core_state().subblock_id),
          subblock_dim_(cpu::core_state().subblock_dim)
    {
        set_execution_context(block_idx, subblock_id, subblock_dim);
    }
    ~ScopedExecutionContext() { set_execution_context(block_idx_, subblock_id_, subblock_dim_); }
    ScopedExecutionContext(const ScopedExecutionContext&) = delete;
    ScopedExecutionContext& operator=(const ScopedExecutionContext&) = delete;

private:
    uint32_t block_idx_, subblock_id_, subblock_dim_;
};

using SubblockHook = uint32_t (*)();
using PipeStateHook = void* (*)(uint64_t pipe_key, size_t bytes);
PTO_CPU_OWN inline SubblockHook injected_subblock_id_hook = nullptr;
PTO_CPU_OWN inline PipeStateHook injected_pipe_shared_state_hook = nullptr;

/// For the kernels of one library: lets a host decide sub-block ids and where the state of a TPipe lives (zero-initialised memory that both cores see).
inline void register_hooks(void* get_subblock_id, void* get_pipe_shared_state)
{
    injected_subblock_id_hook = reinterpret_cast<SubblockHook>(get_subblock_id);
    injected_pipe_shared_state_hook = reinterpret_cast<PipeStateHook>(get_pipe_shared_state);
}

}  // namespace pto::cpu_sim

inline uint32_t get_block_idx() { return pto::cpu::core_state().block_idx; }
inline uint32_t get_block_num() { return pto::cpu::core_state().block_num; }
inline uint32_t get_subblockid()
{
    const auto hook = pto::cpu_sim::injected_subblock_id_hook;
    return hook != nullptr ? hook() : pto::cpu::core_state().subblock_id;
}
inline uint32_t get_coreid() { return get_block_idx(); }
inline uint64_t get_task_cookie() { return pto::cpu::core_state().task_cookie; }
inline uint32_t get_subblockdim() { return pto::cpu::core_state().subblock_dim; }

namespace pto::cpu {
/// A number of the block that runs, under a name that the device's compiler has built in.
template <uint32_t (*Read)()>
struct BuiltIn {
    PTO_INLINE operator uint32_t() const { return Read(); }
};
}  // namespace pto::cpu
inline constexpr pto::cpu::BuiltIn<get_block_idx> block_idx{};
inline constexpr pto::cpu::BuiltIn<get_block_num> block_num{};

/// The system's counter, of 50 ticks a microsecond as on A2/A3.
inline uint64_t get_sys_cnt()
{
    timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return static_cast<uint64_t>(now.tv_sec) * 50000000 + static_cast<uint64_t>(now.tv_nsec) / 20;
}

#if defined(__CPU_SIM)
#include <pto/cpu/core/host_api.hpp>
#endif
