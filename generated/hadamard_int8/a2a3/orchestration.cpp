// Orchestration of `hadamard_int8` for a2a3. Made by pyptogen; change the spec, not this file.
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>
#include <pto/runtime.hpp>

#include "../wrapper.hpp"

using pto_rt::Core;
using pto_rt::Launch;

extern "C" __global__ AICORE void turn(
    __gm__ float *r,
    __gm__ bfloat16_t *x,
    __gm__ bfloat16_t *h,
    int32_t rows_begin,
    int32_t rows_end,
    int32_t nblk);
extern "C" __global__ AICORE void quantise(
    __gm__ int8_t *q,
    __gm__ float *scale,
    __gm__ float *r,
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

extern "C" void hadamard_int8_a2a3(pto_rt::Runtime &rt, const hadamard_int8_args &args)
{
    const int32_t rows = static_cast<int32_t>(args.rows);
    auto *x = (__gm__ bfloat16_t *)args.x;
    auto *h = (__gm__ bfloat16_t *)args.h;
    auto *q = (__gm__ int8_t *)args.q;
    auto *scale = (__gm__ float *)args.scale;
    // Values between kernels.
    auto *r = static_cast<__gm__ float *>(rt.workspace(int64_t(rows) * 128 * sizeof(float)));
    const int32_t cube = blocks_for(rt, Core::Cube);
    const int32_t vector = blocks_for(rt, Core::Vector);

    // The launches of one range of rows; each starts when those it names have finished. Last: its priority.
    const auto launch_range = [=, &rt](int32_t rows_begin, int32_t rows_end) {
        const int32_t turn_blocks = fewer((rows_end - rows_begin + 63) / 64, cube);
        const Launch turn_done = rt.launch(
            "turn", Core::Cube, turn_blocks,
            [=] {
                turn(r, x, h, rows_begin, rows_end, turn_blocks);
            }, {}, 1);
        const int32_t quantise_blocks = fewer((rows_end - rows_begin + 63) / 64, vector);
        rt.launch(
            "quantise", Core::Vector, quantise_blocks,
            [=] {
                quantise(q, scale, r, rows_begin, rows_end, quantise_blocks);
            }, {turn_done});
    };

    launch_range(0, rows);
}
