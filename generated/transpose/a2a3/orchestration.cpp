// Orchestration of `transpose` for a2a3. Made by pyptogen; change the spec, not this file.
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>
#include <pto/runtime.hpp>

#include "../wrapper.hpp"

using pto_rt::Core;
using pto_rt::Launch;

extern "C" __global__ AICORE void transpose(
    __gm__ float *y,
    __gm__ float *x,
    int32_t batch,
    int32_t m,
    int32_t nblk);

namespace {
int32_t fewer(int64_t tiles, int32_t blocks)
{
    return tiles < blocks ? static_cast<int32_t>(tiles) : blocks;
}

// More blocks than cores, so that a core that is done early finds more to do; one block for a single core.
int32_t blocks_for(pto_rt::Runtime &rt, Core core)
{
    return rt.cores(core) == 1 ? 1 : 4 * rt.cores(core);
}
}  // namespace

extern "C" void transpose_a2a3(pto_rt::Runtime &rt, const transpose_args &args)
{
    const int32_t batch = static_cast<int32_t>(args.batch);
    const int32_t m = static_cast<int32_t>(args.m);
    auto *x = (__gm__ float *)args.x;
    auto *y = (__gm__ float *)args.y;
    const int32_t vector = blocks_for(rt, Core::Vector);

    {
        const int32_t transpose_blocks = fewer(int64_t(batch) * ((m + 255) / 256) * 7, vector);
        rt.launch(
            "transpose", Core::Vector, transpose_blocks,
            [=] {
                transpose(y, x, batch, m, transpose_blocks);
            });
    }
}
