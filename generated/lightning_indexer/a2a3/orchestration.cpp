// Orchestration of `lightning_indexer` for a2a3. Made by pyptogen; change the spec, not this file.
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>
#include <pto/runtime.hpp>

#include "../wrapper.hpp"

using pto_rt::Core;
using pto_rt::Launch;

extern "C" __global__ AICORE void heads_scores_cube(
    __gm__ float *s_3,
    __gm__ bfloat16_t *q,
    __gm__ bfloat16_t *k,
    int32_t t_begin,
    int32_t t_end,
    int32_t kv,
    int32_t nblk);
extern "C" __global__ AICORE void heads_scores_vec(
    __gm__ float *s,
    __gm__ float *s_3,
    __gm__ float *weights,
    int32_t t_begin,
    int32_t t_end,
    int32_t kv,
    int32_t nblk);
extern "C" __global__ AICORE void total(
    __gm__ float *all_scores_1,
    __gm__ float *s,
    int32_t kv,
    int32_t t,
    int32_t nblk);
extern "C" __global__ AICORE void best(
    __gm__ float *score,
    __gm__ int32_t *index,
    __gm__ float *all_scores_1,
    int32_t kv,
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

extern "C" void lightning_indexer_a2a3(pto_rt::Runtime &rt, const lightning_indexer_args &args)
{
    const int32_t t = static_cast<int32_t>(args.t);
    const int32_t kv = static_cast<int32_t>(args.kv);
    auto *q = (__gm__ bfloat16_t *)args.q;
    auto *k = (__gm__ bfloat16_t *)args.k;
    auto *weights = (__gm__ float *)args.weights;
    auto *index = (__gm__ int32_t *)args.index;
    auto *score = (__gm__ float *)args.score;
    // Values between kernels.
    auto *s_3 = static_cast<__gm__ float *>(rt.workspace(int64_t(kv) * t * 16 * sizeof(float)));
    auto *s = static_cast<__gm__ float *>(rt.workspace(int64_t(kv) * t * 16 * sizeof(float)));
    auto *all_scores_1 = static_cast<__gm__ float *>(rt.workspace(int64_t(kv) * t * sizeof(float)));
    const int32_t cube = blocks_for(rt, Core::Cube);
    const int32_t vector = blocks_for(rt, Core::Vector);

    // The launches of one range of t; each starts when those it names have finished. Last: its priority.
    const auto segment = [=, &rt](int32_t t_begin, int32_t t_end) {
        const int32_t heads_scores_cube_blocks = fewer((t_end - t_begin + 0) / 1, cube);
        const Launch heads_scores_cube_done = rt.launch(
            "heads_scores_cube", Core::Cube, heads_scores_cube_blocks,
            [=] {
                heads_scores_cube(s_3, q, k, t_begin, t_end, kv, heads_scores_cube_blocks);
            }, {}, 3);
        const int32_t heads_scores_vec_blocks = fewer((t_end - t_begin + 0) / 1, vector);
        const Launch heads_scores_vec_done = rt.launch(
            "heads_scores_vec", Core::Vector, heads_scores_vec_blocks,
            [=] {
                heads_scores_vec(s, s_3, weights, t_begin, t_end, kv, heads_scores_vec_blocks);
            }, {heads_scores_cube_done}, 2);
        const int32_t total_blocks = fewer((t + 0) / 1, vector);
        const Launch total_done = rt.launch(
            "total", Core::Vector, total_blocks,
            [=] {
                total(all_scores_1, s, kv, t, total_blocks);
            }, {heads_scores_vec_done}, 1);
        const int32_t best_blocks = fewer((t + 0) / 1, vector);
        rt.launch(
            "best", Core::Vector, best_blocks,
            [=] {
                best(score, index, all_scores_1, kv, t, best_blocks);
            }, {total_done});
    };

    segment(0, t);
}
