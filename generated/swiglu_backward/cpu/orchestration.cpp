// Orchestration of `swiglu_backward` for cpu. Made by pyptogen; change the spec, not this file.
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>
#include <pto/runtime.hpp>

#include "../wrapper.hpp"

using pto_rt::Core;
using pto_rt::Launch;

extern "C" __global__ AICORE void swiglu_backward(
    __gm__ bfloat16_t *d_up,
    __gm__ bfloat16_t *d_gate,
    __gm__ bfloat16_t *gate,
    __gm__ bfloat16_t *d_y,
    __gm__ bfloat16_t *up,
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

extern "C" void swiglu_backward_cpu(pto_rt::Runtime &rt, const swiglu_backward_args &args)
{
    const int32_t rows = static_cast<int32_t>(args.rows);
    auto *gate = (__gm__ bfloat16_t *)args.gate;
    auto *up = (__gm__ bfloat16_t *)args.up;
    auto *d_y = (__gm__ bfloat16_t *)args.d_y;
    auto *d_gate = (__gm__ bfloat16_t *)args.d_gate;
    auto *d_up = (__gm__ bfloat16_t *)args.d_up;
    const int32_t vector = blocks_for(rt, Core::Vector);

    // The launches of one range of rows; each starts when those it names have finished.
    const auto launch_range = [=, &rt](int32_t rows_begin, int32_t rows_end) {
        const int32_t swiglu_backward_blocks = fewer((rows_end - rows_begin + 1) / 2, vector);
        rt.launch(
            "swiglu_backward", Core::Vector, swiglu_backward_blocks,
            [=] {
                swiglu_backward(d_up, d_gate, gate, d_y, up, rows_begin, rows_end, swiglu_backward_blocks);
            });
    };

    launch_range(0, rows);
}
