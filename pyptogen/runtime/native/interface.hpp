// The launch interface, as the runtime itself includes it: without PTO-ISA headers.
#pragma once

#include <cstdint>

// Kernels get this from their PTO-ISA headers; the runtime launches through function pointers only.
namespace pto::cpu_sim {
void set_execution_context(uint32_t block_idx, uint32_t subblock_id, uint32_t subblock_dim);
}

#include "pto/runtime.hpp"
