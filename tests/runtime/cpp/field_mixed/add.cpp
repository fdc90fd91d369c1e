#include <cstdint>
#include <pto/pto-inst.hpp>
#include "tensor.h"

static float* data_of(int64_t arg)
{
    auto* tensor = reinterpret_cast<Tensor*>(arg);
    return reinterpret_cast<float*>(tensor->buffer.addr) + tensor->start_offset;
}

extern "C" __aicore__ void kernel_entry(__gm__ int64_t* args)
{
    for (uint32_t i = 0; i < 16; ++i) data_of(args[2])[i] = data_of(args[0])[i] + data_of(args[1])[i];
}
