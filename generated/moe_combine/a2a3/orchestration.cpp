// Orchestration of `moe_combine` for a2a3. Made by pyptogen; change the spec, not this file.
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>
#include <pto/runtime.hpp>

#include "../wrapper.hpp"

using pto_rt::Core;
using pto_rt::Launch;

extern "C" __global__ AICORE void pick(
    __gm__ bfloat16_t *picked,
    __gm__ bfloat16_t *rows,
    __gm__ int32_t *place,
    int32_t t,
    int32_t nblk);
extern "C" __global__ AICORE void unit_vec1(
    __gm__ int32_t *e_1,
    int32_t nblk);
extern "C" __global__ AICORE void unit_vec2(
    __gm__ int32_t *e_2,
    int32_t nblk);
extern "C" __global__ AICORE void unit_vec3(
    __gm__ float *e,
    __gm__ int32_t *e_1,
    __gm__ int32_t *e_2,
    int32_t nblk);
extern "C" __global__ AICORE void add_to_out(
    __gm__ bfloat16_t *y,
    __gm__ bfloat16_t *shared,
    __gm__ float *weight,
    __gm__ float *e,
    __gm__ bfloat16_t *picked,
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
    auto *picked = static_cast<__gm__ bfloat16_t *>(rt.workspace(int64_t(t) * 8192 * sizeof(bfloat16_t)));
    auto *e_1 = static_cast<__gm__ int32_t *>(rt.workspace(8 * sizeof(int32_t)));
    auto *e_2 = static_cast<__gm__ int32_t *>(rt.workspace(8 * sizeof(int32_t)));
    auto *e = static_cast<__gm__ float *>(rt.workspace(64 * sizeof(float)));
    const int32_t vector = blocks_for(rt, Core::Vector);

    // The launches of one range of t; each starts when those it names have finished. Last: its priority.
    const auto segment = [=, &rt](int32_t t_begin, int32_t t_end) {
        const int32_t pick_blocks = fewer((t + 0) / 1, vector);
        const Launch pick_done = rt.launch(
            "pick", Core::Vector, pick_blocks,
            [=] {
                pick(picked, rows, place, t, pick_blocks);
            }, {}, 3);
        const int32_t unit_vec1_blocks = fewer(1, vector);
        const Launch unit_vec1_done = rt.launch(
            "unit_vec1", Core::Vector, unit_vec1_blocks,
            [=] {
                unit_vec1(e_1, unit_vec1_blocks);
            }, {}, 2);
        const int32_t unit_vec2_blocks = fewer(1, vector);
        const Launch unit_vec2_done = rt.launch(
            "unit_vec2", Core::Vector, unit_vec2_blocks,
            [=] {
                unit_vec2(e_2, unit_vec2_blocks);
            }, {}, 2);
        const int32_t unit_vec3_blocks = 1;
        const Launch unit_vec3_done = rt.launch(
            "unit_vec3", Core::Vector, unit_vec3_blocks,
            [=] {
                unit_vec3(e, e_1, e_2, unit_vec3_blocks);
            }, {unit_vec1_done, unit_vec2_done}, 1);
        const int32_t add_to_out_blocks = fewer((t_end - t_begin + 7) / 8, vector);
        rt.launch(
            "add_to_out", Core::Vector, add_to_out_blocks,
            [=] {
                add_to_out(y, shared, weight, e, picked, t_begin, t_end, t, add_to_out_blocks);
            }, {unit_vec3_done, pick_done});
    };

    segment(0, t);
}
