// Orchestration of `topk_long` for a2a3. Made by pyptogen; change the spec, not this file.
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>
#include <pto/runtime.hpp>

#include "../wrapper.hpp"

using pto_rt::Core;
using pto_rt::Launch;

extern "C" __global__ AICORE void topk_long_vec1(
    __gm__ float *scores_pairs,
    __gm__ float *scores,
    int32_t rows,
    int32_t keys,
    int32_t nblk);
extern "C" __global__ AICORE void topk_long_vec2(
    __gm__ float *values,
    __gm__ int32_t *indices,
    __gm__ float *scores,
    int32_t rows,
    int32_t keys,
    int32_t nblk);
extern "C" __global__ AICORE void topk_long_vec3(
    __gm__ float *values,
    __gm__ int32_t *indices,
    __gm__ float *scores_pairs,
    int32_t rows,
    int32_t keys,
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

extern "C" void topk_long_a2a3(pto_rt::Runtime &rt, const topk_long_args &args)
{
    const int32_t rows = static_cast<int32_t>(args.rows);
    const int32_t keys = static_cast<int32_t>(args.keys);
    auto *scores = (__gm__ float *)args.scores;
    auto *values = (__gm__ float *)args.values;
    auto *indices = (__gm__ int32_t *)args.indices;
    // Values between kernels.
    auto *scores_pairs = static_cast<__gm__ float *>(rt.workspace(2162688 * sizeof(float)));
    const int32_t vector = blocks_for(rt, Core::Vector);

    {
        // Runs if keys > 6144 and rows <= 24.
        const int32_t topk_long_vec1_blocks = (keys > 6144 && rows <= 24) ? fewer(int64_t(rows) * ((keys + 6143) / 6144), vector) : 0;
        const Launch topk_long_vec1_done = rt.launch(
            "topk_long_vec1", Core::Vector, topk_long_vec1_blocks,
            [=] {
                topk_long_vec1(scores_pairs, scores, rows, keys, topk_long_vec1_blocks);
            }, {}, 2);
        // Runs if not (keys > 6144 and rows <= 24).
        const int32_t topk_long_vec2_blocks = !(keys > 6144 && rows <= 24) ? fewer(rows, vector) : 0;
        rt.launch(
            "topk_long_vec2", Core::Vector, topk_long_vec2_blocks,
            [=] {
                topk_long_vec2(values, indices, scores, rows, keys, topk_long_vec2_blocks);
            }, {}, 1);
        // Runs if keys > 6144 and rows <= 24.
        const int32_t topk_long_vec3_blocks = (keys > 6144 && rows <= 24) ? fewer(rows, vector) : 0;
        rt.launch(
            "topk_long_vec3", Core::Vector, topk_long_vec3_blocks,
            [=] {
                topk_long_vec3(values, indices, scores_pairs, rows, keys, topk_long_vec3_blocks);
            }, {topk_long_vec1_done});
    }
}
