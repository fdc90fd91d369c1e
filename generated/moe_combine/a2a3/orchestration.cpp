// Orchestration of `moe_combine` for a2a3. Made by pyptogen; change the spec, not this file.
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>
#include <pto/runtime.hpp>

#include "../wrapper.hpp"

using pto_rt::Core;
using pto_rt::Launch;

extern "C" __global__ AICORE void place_lines(
    __gm__ int32_t *place_lines,
    __gm__ int32_t *place,
    int32_t t,
    int32_t nblk);
extern "C" __global__ AICORE void add_to_out(
    __gm__ bfloat16_t *y,
    __gm__ bfloat16_t *shared,
    __gm__ bfloat16_t *rows,
    __gm__ int32_t *place_lines,
    __gm__ float *weight,
    int32_t t_begin,
    int32_t t_end,
    int32_t t,
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

extern "C" void moe_combine_a2a3(pto_rt::Runtime &rt, const moe_combine_args &args)
{
    const int32_t t = static_cast<int32_t>(args.t);
    auto *rows = (__gm__ bfloat16_t *)args.rows;
    auto *place = (__gm__ int32_t *)args.place;
    auto *weight = (__gm__ float *)args.weight;
    auto *shared = (__gm__ bfloat16_t *)args.shared;
    auto *y = (__gm__ bfloat16_t *)args.y;
    // Values between kernels.
    auto *place_lines_ = static_cast<__gm__ int32_t *>(rt.workspace(int64_t(t) * 8 * sizeof(int32_t)));
    const int32_t vector = blocks_for(rt, Core::Vector);

    // The launches of one range of t; each starts when those it names have finished. Last: its priority.
    const auto launch_range = [=, &rt](int32_t t_begin, int32_t t_end) {
        const int32_t place_lines_blocks = fewer((t + 127) / 128, vector);
        const Launch place_lines_done = rt.launch(
            "place_lines", Core::Vector, place_lines_blocks,
            [=] {
                place_lines(place_lines_, place, t, place_lines_blocks);
            }, {}, 1);
        const int32_t add_to_out_blocks = fewer((t_end - t_begin + 7) / 8, vector);
        rt.launch(
            "add_to_out", Core::Vector, add_to_out_blocks,
            [=] {
                add_to_out(y, shared, rows, place_lines_, weight, t_begin, t_end, t, add_to_out_blocks);
            }, {place_lines_done});
    };

    launch_range(0, t);
}
