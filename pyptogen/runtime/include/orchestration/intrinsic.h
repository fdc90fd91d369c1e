// For kernel files that name this header: where a block stands in its task. Other runtimes keep it beside the arguments.
#pragma once

#include <cstdint>

#include <pto/pto-inst.hpp>

inline int32_t get_block_idx(const int64_t*) { return static_cast<int32_t>(get_block_idx()); }
inline int32_t get_block_num(const int64_t*) { return static_cast<int32_t>(get_block_num()); }
inline int32_t get_sub_block_id(const int64_t*) { return static_cast<int32_t>(get_subblockid()); }
