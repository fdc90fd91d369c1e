// Orchestration of `sparse_attention` for a2a3. Made by pyptogen; change the spec, not this file.
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>
#include <pto/runtime.hpp>

#include "../wrapper.hpp"

using pto_rt::Core;
using pto_rt::Launch;

extern "C" __global__ AICORE void gather_vec1(
    __gm__ int32_t *rows_1,
    __gm__ int32_t *index,
    int32_t t_begin,
    int32_t t_end,
    int32_t nblk);
extern "C" __global__ AICORE void gather_vec2(
    __gm__ bfloat16_t *rows,
    __gm__ bfloat16_t *latent,
    __gm__ int32_t *rows_1,
    int32_t t,
    int32_t kv,
    int32_t nblk);
extern "C" __global__ AICORE void absent(
    __gm__ float *bias,
    __gm__ int32_t *index,
    int32_t t_begin,
    int32_t t_end,
    int32_t nblk);
extern "C" __global__ AICORE void attend_cube1(
    __gm__ float *o_qk,
    __gm__ bfloat16_t *q,
    __gm__ bfloat16_t *rows,
    int32_t t_begin,
    int32_t t_end,
    int32_t nblk);
extern "C" __global__ AICORE void attend_vec1(
    __gm__ float *o_alpha,
    __gm__ bfloat16_t *o_p_low,
    __gm__ float *o_sum_end,
    __gm__ float *o_qk,
    __gm__ float *bias,
    int32_t t_begin,
    int32_t t_end,
    int32_t t,
    int32_t nblk);
extern "C" __global__ AICORE void attend_cube2(
    __gm__ float *o_pv,
    __gm__ bfloat16_t *o_p_low,
    __gm__ bfloat16_t *rows,
    int32_t t_begin,
    int32_t t_end,
    int32_t t,
    int32_t nblk);
extern "C" __global__ AICORE void attend_vec2(
    __gm__ bfloat16_t *o,
    __gm__ float *o_alpha,
    __gm__ float *o_pv,
    __gm__ float *o_sum_end,
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

extern "C" void sparse_attention_a2a3(pto_rt::Runtime &rt, const sparse_attention_args &args)
{
    const int32_t t = static_cast<int32_t>(args.t);
    const int32_t kv = static_cast<int32_t>(args.kv);
    auto *q = (__gm__ bfloat16_t *)args.q;
    auto *latent = (__gm__ bfloat16_t *)args.latent;
    auto *index = (__gm__ int32_t *)args.index;
    auto *o = (__gm__ bfloat16_t *)args.o;
    // Values between kernels.
    auto *rows_1 = static_cast<__gm__ int32_t *>(rt.workspace(int64_t(t) * 2048 * sizeof(int32_t)));
    auto *rows = static_cast<__gm__ bfloat16_t *>(rt.workspace(int64_t(t) * 1179648 * sizeof(bfloat16_t)));
    auto *bias = static_cast<__gm__ float *>(rt.workspace(int64_t(t) * 2048 * sizeof(float)));
    auto *o_qk = static_cast<__gm__ float *>(rt.workspace(int64_t(t) * 32768 * sizeof(float)));
    auto *o_alpha = static_cast<__gm__ float *>(rt.workspace(int64_t(t) * 2560 * sizeof(float)));
    auto *o_p_low = static_cast<__gm__ bfloat16_t *>(rt.workspace(int64_t(t) * 32768 * sizeof(bfloat16_t)));
    auto *o_sum_end = static_cast<__gm__ float *>(rt.workspace(int64_t(t) * 16 * sizeof(float)));
    auto *o_pv = static_cast<__gm__ float *>(rt.workspace(int64_t(t) * 163840 * sizeof(float)));
    const int32_t cube = blocks_for(rt, Core::Cube);
    const int32_t vector = blocks_for(rt, Core::Vector);

    // The launches of one range of t; each starts when those it names have finished. Last: its priority.
    const auto launch_range = [=, &rt](int32_t t_begin, int32_t t_end) {
        const int32_t gather_vec1_blocks = fewer((t_end - t_begin + 3) / 4, vector);
        const Launch gather_vec1_done = rt.launch(
            "gather_vec1", Core::Vector, gather_vec1_blocks,
            [=] {
                gather_vec1(rows_1, index, t_begin, t_end, gather_vec1_blocks);
            }, {}, 6);
        const int32_t gather_vec2_blocks = fewer((t * 2048 + 7) / 8, vector);
        const Launch gather_vec2_done = rt.launch(
            "gather_vec2", Core::Vector, gather_vec2_blocks,
            [=] {
                gather_vec2(rows, latent, rows_1, t, kv, gather_vec2_blocks);
            }, {gather_vec1_done}, 5);
        const int32_t absent_blocks = fewer((t_end - t_begin + 3) / 4, vector);
        const Launch absent_done = rt.launch(
            "absent", Core::Vector, absent_blocks,
            [=] {
                absent(bias, index, t_begin, t_end, absent_blocks);
            }, {}, 3);
        const int32_t attend_cube1_blocks = fewer(int64_t(t_end - t_begin) * 4, cube);
        const Launch attend_cube1_done = rt.launch(
            "attend_cube1", Core::Cube, attend_cube1_blocks,
            [=] {
                attend_cube1(o_qk, q, rows, t_begin, t_end, attend_cube1_blocks);
            }, {gather_vec2_done}, 4);
        const int32_t attend_vec1_blocks = fewer(t_end - t_begin, vector);
        const Launch attend_vec1_done = rt.launch(
            "attend_vec1", Core::Vector, attend_vec1_blocks,
            [=] {
                attend_vec1(o_alpha, o_p_low, o_sum_end, o_qk, bias, t_begin, t_end, t, attend_vec1_blocks);
            }, {attend_cube1_done, absent_done}, 2);
        const int32_t attend_cube2_blocks = fewer(int64_t(t_end - t_begin) * 32, cube);
        const Launch attend_cube2_done = rt.launch(
            "attend_cube2", Core::Cube, attend_cube2_blocks,
            [=] {
                attend_cube2(o_pv, o_p_low, rows, t_begin, t_end, t, attend_cube2_blocks);
            }, {attend_vec1_done, gather_vec2_done}, 1);
        const int32_t attend_vec2_blocks = fewer(int64_t(t_end - t_begin) * 8, vector);
        rt.launch(
            "attend_vec2", Core::Vector, attend_vec2_blocks,
            [=] {
                attend_vec2(o, o_alpha, o_pv, o_sum_end, t_begin, t_end, t, attend_vec2_blocks);
            }, {attend_vec1_done, attend_cube2_done});
    };

    launch_range(0, t);
}
