// Orchestration of `casts` for cpu. Made by pyptogen; change the spec, not this file.
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>
#include <pto/runtime.hpp>

#include "../wrapper.hpp"

using pto_rt::Core;
using pto_rt::Launch;

extern "C" __global__ AICORE void casts(
    __gm__ half *as_fp16,
    __gm__ bfloat16_t *as_bf16,
    __gm__ int32_t *nearest,
    __gm__ int16_t *below,
    __gm__ int8_t *level,
    __gm__ float *back,
    __gm__ float *x,
    int32_t rows_begin,
    int32_t rows_end,
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

extern "C" void casts_cpu(pto_rt::Runtime &rt, const casts_args &args)
{
    const int32_t rows = static_cast<int32_t>(args.rows);
    auto *x = (__gm__ float *)args.x;
    auto *as_fp16 = (__gm__ half *)args.as_fp16;
    auto *as_bf16 = (__gm__ bfloat16_t *)args.as_bf16;
    auto *nearest = (__gm__ int32_t *)args.nearest;
    auto *below = (__gm__ int16_t *)args.below;
    auto *level = (__gm__ int8_t *)args.level;
    auto *back = (__gm__ float *)args.back;
    const int32_t vector = blocks_for(rt, Core::Vector);

    // The launches of one range of rows; each starts when those it names have finished.
    const auto launch_range = [=, &rt](int32_t rows_begin, int32_t rows_end) {
        const int32_t casts_blocks = fewer((rows_end - rows_begin + 15) / 16, vector);
        rt.launch(
            "casts", Core::Vector, casts_blocks,
            [=] {
                casts(as_fp16, as_bf16, nearest, below, level, back, x, rows_begin, rows_end, casts_blocks);
            });
    };

    launch_range(0, rows);
}
