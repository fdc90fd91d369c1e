// The least that the runtime needs of PTO-ISA headers; it counts how deep a thread is inside enter_core().
#pragma once
#include <cstdint>

namespace pto::cpu_sim {

inline thread_local uint32_t block_of_thread = 0;
inline thread_local int depth_of_thread = 0;

inline void set_execution_context(uint32_t block_idx, uint32_t, uint32_t = 1) { block_of_thread = block_idx; }
inline void enter_core() { ++depth_of_thread; }
inline void leave_core() { --depth_of_thread; }
inline int inside_core() { return depth_of_thread; }

}  // namespace pto::cpu_sim

inline uint32_t get_block_idx() { return pto::cpu_sim::block_of_thread; }
