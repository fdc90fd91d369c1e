// The device intrinsics that a kernel may call: pipes, flags, barriers and the identity of a block.
#pragma once

#include <pto/cpu/core.hpp>

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

// All pipes of a core are one instruction stream here, so order is program order.
inline void set_flag(pipe_t, pipe_t, event_t) {}
inline void wait_flag(pipe_t, pipe_t, event_t) {}
inline void pipe_barrier(pipe_t) {}

namespace pto::cpu_sim {

/// Says which block (and sub-block) the calling thread runs until the next call.
inline void set_execution_context(uint32_t block_idx, uint32_t subblock_id, uint32_t subblock_dim = 1)
{
    cpu::CoreState& core = cpu::core_state();
    core.block_idx = block_idx;
    core.subblock_id = subblock_id;
    core.subblock_dim = subblock_dim == 0 ? 1 : subblock_dim;
}

inline void reset_execution_context() { set_execution_context(0, 0, 1); }

/// Says how many blocks the current launch has (what get_block_num() answers on the calling thread).
inline void set_block_num(uint32_t block_num) { cpu::core_state().block_num = block_num; }

}  // namespace pto::cpu_sim

inline uint32_t get_block_idx() { return pto::cpu::core_state().block_idx; }
inline uint32_t get_block_num() { return pto::cpu::core_state().block_num; }
inline uint32_t get_subblockid() { return pto::cpu::core_state().subblock_id; }
inline uint32_t get_subblockdim() { return pto::cpu::core_state().subblock_dim; }
