// Orchestration of `moe_dispatch` for cpu. Made by pyptogen; change the spec, not this file.
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>
#include <pto/runtime.hpp>

#include "../wrapper.hpp"

using pto_rt::Core;
using pto_rt::Launch;

extern "C" __global__ AICORE void rank_vec1(
    __gm__ int32_t *chosen_1,
    int32_t nblk);
extern "C" __global__ AICORE void rank_vec2(
    __gm__ int32_t *chosen,
    __gm__ int32_t *expert,
    __gm__ int32_t *chosen_1,
    int32_t t_begin,
    int32_t t_end,
    int32_t nblk);
extern "C" __global__ AICORE void rank_vec3(
    __gm__ int32_t *within,
    __gm__ int32_t *chosen,
    int32_t t,
    int32_t nblk);
extern "C" __global__ AICORE void rank_vec4(
    __gm__ int32_t *ahead,
    __gm__ int32_t *within,
    int32_t t,
    int32_t nblk);
extern "C" __global__ AICORE void offsets_vec1(
    __gm__ int32_t *count,
    __gm__ int32_t *within,
    int32_t t,
    int32_t nblk);
extern "C" __global__ AICORE void offsets_vec2(
    __gm__ int32_t *before,
    __gm__ int32_t *count,
    int32_t nblk);
extern "C" __global__ AICORE void placing_vec1(
    __gm__ float *upto,
    __gm__ float *place_2,
    __gm__ int32_t *ahead,
    __gm__ int32_t *before,
    __gm__ int32_t *within,
    __gm__ int32_t *chosen,
    int32_t t_begin,
    int32_t t_end,
    int32_t nblk);
extern "C" __global__ AICORE void placing_vec2(
    __gm__ int32_t *place,
    __gm__ float *upto,
    __gm__ float *place_2,
    int32_t t_begin,
    int32_t t_end,
    int32_t nblk);
extern "C" __global__ AICORE void inverse_vec1(
    __gm__ int32_t *source,
    int32_t t_begin,
    int32_t t_end,
    int32_t nblk);
extern "C" __global__ AICORE void inverse_vec2(
    __gm__ int32_t *copy,
    int32_t t,
    int32_t nblk);
extern "C" __global__ AICORE void inverse_vec3(
    __gm__ int32_t *source,
    __gm__ int32_t *copy,
    __gm__ int32_t *place,
    int32_t t_begin,
    int32_t t_end,
    int32_t t,
    int32_t nblk);
extern "C" __global__ AICORE void copies_vec1(
    __gm__ int32_t *rows_2,
    __gm__ int32_t *source,
    int32_t t_begin,
    int32_t t_end,
    int32_t nblk);
extern "C" __global__ AICORE void copies_vec2(
    __gm__ bfloat16_t *rows,
    __gm__ bfloat16_t *x,
    __gm__ int32_t *rows_2,
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

extern "C" void moe_dispatch_cpu(pto_rt::Runtime &rt, const moe_dispatch_args &args)
{
    const int32_t t = static_cast<int32_t>(args.t);
    auto *x = (__gm__ bfloat16_t *)args.x;
    auto *expert = (__gm__ int32_t *)args.expert;
    auto *rows = (__gm__ bfloat16_t *)args.rows;
    auto *place = (__gm__ int32_t *)args.place;
    auto *count = (__gm__ int32_t *)args.count;
    // Values between kernels.
    auto *source = static_cast<__gm__ int32_t *>(rt.workspace(int64_t(t) * 8 * sizeof(int32_t)));
    auto *chosen_1 = static_cast<__gm__ int32_t *>(rt.workspace(64 * sizeof(int32_t)));
    auto *chosen = static_cast<__gm__ int32_t *>(rt.workspace(int64_t(t) * 512 * sizeof(int32_t)));
    auto *within = static_cast<__gm__ int32_t *>(rt.workspace(int64_t(t) * 512 * sizeof(int32_t)));
    auto *ahead = static_cast<__gm__ int32_t *>(rt.workspace(int64_t(t) * 64 * sizeof(int32_t)));
    auto *before = static_cast<__gm__ int32_t *>(rt.workspace(64 * sizeof(int32_t)));
    auto *upto = static_cast<__gm__ float *>(rt.workspace(int64_t(t) * 8 * sizeof(float)));
    auto *place_2 = static_cast<__gm__ float *>(rt.workspace(int64_t(t) * 8 * sizeof(float)));
    auto *copy = static_cast<__gm__ int32_t *>(rt.workspace(int64_t(t) * 8 * sizeof(int32_t)));
    auto *rows_2 = static_cast<__gm__ int32_t *>(rt.workspace(int64_t(t) * 8 * sizeof(int32_t)));
    const int32_t vector = blocks_for(rt, Core::Vector);

    // The launches of one range of t; each starts when those it names have finished. Last: its priority.
    const auto launch_range = [=, &rt](int32_t t_begin, int32_t t_end) {
        const int32_t rank_vec1_blocks = 1;
        const Launch rank_vec1_done = rt.launch(
            "rank_vec1", Core::Vector, rank_vec1_blocks,
            [=] {
                rank_vec1(chosen_1, rank_vec1_blocks);
            }, {}, 9);
        const int32_t rank_vec2_blocks = fewer(t_end - t_begin, vector);
        const Launch rank_vec2_done = rt.launch(
            "rank_vec2", Core::Vector, rank_vec2_blocks,
            [=] {
                rank_vec2(chosen, expert, chosen_1, t_begin, t_end, rank_vec2_blocks);
            }, {rank_vec1_done}, 8);
        const int32_t rank_vec3_blocks = fewer(t, vector);
        const Launch rank_vec3_done = rt.launch(
            "rank_vec3", Core::Vector, rank_vec3_blocks,
            [=] {
                rank_vec3(within, chosen, t, rank_vec3_blocks);
            }, {rank_vec2_done}, 7);
        const int32_t rank_vec4_blocks = 1;
        const Launch rank_vec4_done = rt.launch(
            "rank_vec4", Core::Vector, rank_vec4_blocks,
            [=] {
                rank_vec4(ahead, within, t, rank_vec4_blocks);
            }, {rank_vec3_done}, 5);
        const int32_t offsets_vec1_blocks = 1;
        const Launch offsets_vec1_done = rt.launch(
            "offsets_vec1", Core::Vector, offsets_vec1_blocks,
            [=] {
                offsets_vec1(count, within, t, offsets_vec1_blocks);
            }, {rank_vec3_done}, 6);
        const int32_t offsets_vec2_blocks = 1;
        const Launch offsets_vec2_done = rt.launch(
            "offsets_vec2", Core::Vector, offsets_vec2_blocks,
            [=] {
                offsets_vec2(before, count, offsets_vec2_blocks);
            }, {offsets_vec1_done}, 5);
        const int32_t placing_vec1_blocks = fewer(t_end - t_begin, vector);
        const Launch placing_vec1_done = rt.launch(
            "placing_vec1", Core::Vector, placing_vec1_blocks,
            [=] {
                placing_vec1(upto, place_2, ahead, before, within, chosen, t_begin, t_end, placing_vec1_blocks);
            }, {rank_vec4_done, offsets_vec2_done, rank_vec3_done, rank_vec2_done}, 4);
        const int32_t placing_vec2_blocks = fewer((t_end - t_begin + 63) / 64, vector);
        const Launch placing_vec2_done = rt.launch(
            "placing_vec2", Core::Vector, placing_vec2_blocks,
            [=] {
                placing_vec2(place, upto, place_2, t_begin, t_end, placing_vec2_blocks);
            }, {placing_vec1_done}, 3);
        const int32_t inverse_vec1_blocks = fewer(t_end - t_begin, vector);
        const Launch inverse_vec1_done = rt.launch(
            "inverse_vec1", Core::Vector, inverse_vec1_blocks,
            [=] {
                inverse_vec1(source, t_begin, t_end, inverse_vec1_blocks);
            }, {}, 3);
        const int32_t inverse_vec2_blocks = fewer((t * 8 + 4095) / 4096, vector);
        const Launch inverse_vec2_done = rt.launch(
            "inverse_vec2", Core::Vector, inverse_vec2_blocks,
            [=] {
                inverse_vec2(copy, t, inverse_vec2_blocks);
            }, {}, 3);
        const int32_t inverse_vec3_blocks = fewer(t_end - t_begin, vector);
        const Launch inverse_vec3_done = rt.launch(
            "inverse_vec3", Core::Vector, inverse_vec3_blocks,
            [=] {
                inverse_vec3(source, copy, place, t_begin, t_end, t, inverse_vec3_blocks);
            }, {inverse_vec2_done, inverse_vec1_done, placing_vec2_done}, 2);
        const int32_t copies_vec1_blocks = fewer((t_end - t_begin + 511) / 512, vector);
        const Launch copies_vec1_done = rt.launch(
            "copies_vec1", Core::Vector, copies_vec1_blocks,
            [=] {
                copies_vec1(rows_2, source, t_begin, t_end, copies_vec1_blocks);
            }, {inverse_vec3_done}, 1);
        const int32_t copies_vec2_blocks = fewer(t * 8, vector);
        rt.launch(
            "copies_vec2", Core::Vector, copies_vec2_blocks,
            [=] {
                copies_vec2(rows, x, rows_2, t, copies_vec2_blocks);
            }, {copies_vec1_done});
    };

    launch_range(0, t);
}
