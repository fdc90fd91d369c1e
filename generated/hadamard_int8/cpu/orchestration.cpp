// Orchestration of `hadamard_int8` for cpu. Made by pyptogen; change the spec, not this file.
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>
#include <pto/runtime.hpp>

#include "../wrapper.hpp"

using pto_rt::Core;
using pto_rt::Launch;

extern "C" __global__ AICORE void turn_to_quantise(
    __gm__ int8_t *q,
    __gm__ float *scale,
    __gm__ bfloat16_t *x,
    __gm__ bfloat16_t *h,
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

extern "C" void hadamard_int8_cpu(pto_rt::Runtime &rt, const hadamard_int8_args &args)
{
    const int32_t rows = static_cast<int32_t>(args.rows);
    auto *x = (__gm__ bfloat16_t *)args.x;
    auto *h = (__gm__ bfloat16_t *)args.h;
    auto *q = (__gm__ int8_t *)args.q;
    auto *scale = (__gm__ float *)args.scale;
    const int32_t mixed = blocks_for(rt, Core::Mixed);

    // The launches of one range of rows; each starts when those it names have finished.
    const auto launch_range = [=, &rt](int32_t rows_begin, int32_t rows_end) {
        const int32_t turn_to_quantise_blocks = fewer((rows_end - rows_begin + 255) / 256, mixed);
        rt.launch(
            "turn_to_quantise", Core::Mixed, turn_to_quantise_blocks,
            [=] {
                turn_to_quantise(q, scale, x, h, rows_begin, rows_end, turn_to_quantise_blocks);
            });
    };

    launch_range(0, rows);
}
