#include <cstdint>
#include <pto/pto-inst.hpp>
#include "tensor.h"

extern "C" __aicore__ void kernel_entry(__gm__ int64_t* args)
{
    auto* tensor = reinterpret_cast<Tensor*>(args[3]);
    auto* to = reinterpret_cast<float*>(tensor->buffer.addr) + tensor->start_offset;
    const auto lane = static_cast<uint32_t>(get_subblockid());
    for (uint32_t i = 0; i < 8; ++i) to[8 * lane + i] = static_cast<float>(lane + 10 * get_subblockdim());
}
