// Orchestration of `lightning_indexer` for a2a3. Made by pyptogen; change the spec, not this file.
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>
#include <pto/runtime.hpp>
#include <pto/side_by_side.hpp>

#include "../wrapper.hpp"

using pto_rt::Core;
using pto_rt::Launch;

extern "C" __global__ AICORE void places(
    __gm__ int32_t *place,
    int64_t kv,
    int32_t nblk);
extern "C" __global__ AICORE void scores_cube(
    __gm__ uint64_t *ffts,
    __gm__ bfloat16_t *q,
    __gm__ bfloat16_t *k,
    __gm__ float *s_2_fifo,
    int64_t t_begin,
    int64_t t_end,
    int64_t kv,
    int32_t nblk);
extern "C" __global__ AICORE void scores_vec(
    __gm__ uint64_t *ffts,
    __gm__ float *all_scores,
    __gm__ float *weights,
    __gm__ int32_t *place,
    __gm__ int32_t *seen,
    __gm__ float *s_2_fifo,
    int64_t t_begin,
    int64_t t_end,
    int64_t kv,
    int32_t nblk);
extern "C" __global__ AICORE void best_vec1(
    __gm__ float *score_rows,
    __gm__ float *all_scores,
    int64_t t,
    int64_t kv,
    int32_t nblk);
extern "C" __global__ AICORE void best_vec2(
    __gm__ float *score_rows_pairs,
    __gm__ float *score_rows,
    int64_t t,
    int64_t kv,
    int32_t nblk);
extern "C" __global__ AICORE void best_vec3(
    __gm__ float *score,
    __gm__ int32_t *chosen,
    __gm__ float *score_rows,
    int64_t t,
    int64_t kv,
    int32_t nblk);
extern "C" __global__ AICORE void best_vec4(
    __gm__ float *score,
    __gm__ int32_t *chosen,
    __gm__ float *score_rows_pairs,
    int64_t t,
    int64_t kv,
    int32_t nblk);
extern "C" __global__ AICORE void best_vec5(
    __gm__ int32_t *index,
    __gm__ float *score,
    __gm__ int32_t *chosen,
    int64_t t_begin,
    int64_t t_end,
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
    const int64_t t = args.t;
    const int64_t kv = args.kv;
    auto *q = (__gm__ bfloat16_t *)args.q;
    auto *k = (__gm__ bfloat16_t *)args.k;
    auto *weights = (__gm__ float *)args.weights;
    auto *seen = (__gm__ int32_t *)args.seen;
    auto *index = (__gm__ int32_t *)args.index;
    auto *score = (__gm__ float *)args.score;
    __gm__ uint64_t *const ffts = nullptr;  // where a device has the flags between cores: the cores meet in memory here
    // Values between kernels.
    auto *chosen = static_cast<__gm__ int32_t *>(rt.workspace(int64_t(t) * 2048 * sizeof(int32_t)));
    auto *place = static_cast<__gm__ int32_t *>(rt.workspace(int64_t(kv) * sizeof(int32_t)));
    auto *all_scores = static_cast<__gm__ float *>(rt.workspace(int64_t(kv) * t * sizeof(float)));
    auto *score_rows = static_cast<__gm__ float *>(rt.workspace(int64_t(kv) * t * sizeof(float)));
    auto *score_rows_pairs = static_cast<__gm__ float *>(rt.workspace(2162688 * sizeof(float)));
    const int32_t mixed = blocks_for(rt, Core::Mixed);
    const int32_t vector = blocks_for(rt, Core::Vector);

    // The launches of one range of t; each starts when those it names have finished. Last: its priority.
    const auto launch_range = [=, &rt](int64_t t_begin, int64_t t_end) {
        // Memory of this range only; the chip takes it back when the launches have finished.
        const pto_rt::Scope scope(rt);
        const int32_t places_blocks = fewer((kv + 95) / 96, vector);
        const Launch places_done = rt.launch(
            "places", Core::Vector, places_blocks,
            [=] {
                places(place, kv, places_blocks);
            }, {}, 6);
        const int32_t scores_blocks = fewer(int64_t(t_end - t_begin) * ((kv + 255) / 256), mixed);
        auto *s_2_fifo = static_cast<__gm__ float *>(rt.workspace(int64_t(scores_blocks) * 65536 * sizeof(float)));
        const Launch scores_done = rt.launch(
            "scores", Core::Mixed, scores_blocks,
            [=] {
                // On a cube core and on the two vector cores beside it; they hand tiles over in fifos.
                pto_rt::side_by_side<2>(
                    [=] { scores_cube(ffts, q, k, s_2_fifo, t_begin, t_end, kv, scores_blocks); },
                    [=] { scores_vec(ffts, all_scores, weights, place, seen, s_2_fifo, t_begin, t_end, kv, scores_blocks); });
            }, {places_done}, 5);
        const int32_t best_vec1_blocks = fewer((kv * t + 12287) / 12288, vector);
        const Launch best_vec1_done = rt.launch(
            "best_vec1", Core::Vector, best_vec1_blocks,
            [=] {
                best_vec1(score_rows, all_scores, t, kv, best_vec1_blocks);
            }, {scores_done}, 4);
        // Runs if kv > 6144 and t <= 24.
        const int32_t best_vec2_blocks = (kv > 6144 && t <= 24) ? fewer(int64_t(t) * ((kv + 6143) / 6144), vector) : 0;
        const Launch best_vec2_done = rt.launch(
            "best_vec2", Core::Vector, best_vec2_blocks,
            [=] {
                best_vec2(score_rows_pairs, score_rows, t, kv, best_vec2_blocks);
            }, {best_vec1_done}, 3);
        // Runs if not (kv > 6144 and t <= 24).
        const int32_t best_vec3_blocks = !(kv > 6144 && t <= 24) ? fewer(t, vector) : 0;
        const Launch best_vec3_done = rt.launch(
            "best_vec3", Core::Vector, best_vec3_blocks,
            [=] {
                best_vec3(score, chosen, score_rows, t, kv, best_vec3_blocks);
            }, {best_vec1_done}, 2);
        // Runs if kv > 6144 and t <= 24.
        const int32_t best_vec4_blocks = (kv > 6144 && t <= 24) ? fewer(t, vector) : 0;
        const Launch best_vec4_done = rt.launch(
            "best_vec4", Core::Vector, best_vec4_blocks,
            [=] {
                best_vec4(score, chosen, score_rows_pairs, t, kv, best_vec4_blocks);
            }, {best_vec2_done}, 1);
        const int32_t best_vec5_blocks = fewer(t_end - t_begin, vector);
        rt.launch(
            "best_vec5", Core::Vector, best_vec5_blocks,
            [=] {
                best_vec5(index, score, chosen, t_begin, t_end, best_vec5_blocks);
            }, {best_vec3_done, best_vec4_done});
    };

    launch_range(0, t);
}
