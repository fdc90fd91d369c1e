// Orchestration of `dequant_rows` for cpu. Made by pyptogen; change the spec, not this file.
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>
#include <pto/runtime.hpp>

#include "../wrapper.hpp"

using pto_rt::Core;
using pto_rt::Launch;

extern "C" __global__ AICORE void dequantise(
    __gm__ bfloat16_t *y,
    __gm__ int32_t *acc,
    __gm__ float *scale,
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

extern "C" void dequant_rows_cpu(pto_rt::Runtime &rt, const dequant_rows_args &args)
{
    const int32_t rows = static_cast<int32_t>(args.rows);
    auto *acc = (__gm__ int32_t *)args.acc;
    auto *scale = (__gm__ float *)args.scale;
    auto *y = (__gm__ bfloat16_t *)args.y;
    const int32_t vector = blocks_for(rt, Core::Vector);

    // The launches of one range of rows; each starts when those it names have finished.
    const auto launch_range = [=, &rt](int32_t rows_begin, int32_t rows_end) {
        const int32_t dequantise_blocks = fewer((rows_end - rows_begin + 15) / 16, vector);
        rt.launch(
            "dequantise", Core::Vector, dequantise_blocks,
            [=] {
                dequantise(y, acc, scale, rows_begin, rows_end, dequantise_blocks);
            });
    };

    launch_range(0, rows);
}
