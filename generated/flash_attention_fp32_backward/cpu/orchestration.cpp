// Orchestration of `flash_attention_fp32_backward` for cpu. Made by pyptogen; change the spec, not this file.
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>
#include <pto/runtime.hpp>

#include "../wrapper.hpp"

using pto_rt::Core;
using pto_rt::Launch;

extern "C" __global__ AICORE void scores(
    __gm__ float *s,
    __gm__ float *q,
    __gm__ float *k,
    float scale,
    int32_t sq_begin,
    int32_t sq_end,
    int32_t sq,
    int32_t kv,
    int32_t nblk);
extern "C" __global__ AICORE void weights(
    __gm__ float *p,
    __gm__ float *s,
    int32_t sq_begin,
    int32_t sq_end,
    int32_t sq,
    int32_t kv,
    int32_t nblk);
extern "C" __global__ AICORE void of_values(
    __gm__ float *d_v,
    __gm__ float *p,
    __gm__ float *d_o,
    int32_t sq,
    int32_t kv,
    int32_t nblk);
extern "C" __global__ AICORE void of_weights(
    __gm__ float *d_p,
    __gm__ float *d_o,
    __gm__ float *v,
    int32_t sq_begin,
    int32_t sq_end,
    int32_t sq,
    int32_t kv,
    int32_t nblk);
extern "C" __global__ AICORE void of_scores(
    __gm__ float *d_s,
    __gm__ float *o,
    __gm__ float *d_o,
    __gm__ float *d_p,
    __gm__ float *p,
    float scale,
    int32_t sq_begin,
    int32_t sq_end,
    int32_t sq,
    int32_t kv,
    int32_t nblk);
extern "C" __global__ AICORE void of_queries(
    __gm__ float *d_q,
    __gm__ float *d_s,
    __gm__ float *k,
    int32_t sq_begin,
    int32_t sq_end,
    int32_t sq,
    int32_t kv,
    int32_t nblk);
extern "C" __global__ AICORE void of_keys(
    __gm__ float *d_k,
    __gm__ float *d_s,
    __gm__ float *q,
    int32_t sq,
    int32_t kv,
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

extern "C" void flash_attention_fp32_backward_cpu(pto_rt::Runtime &rt, const flash_attention_fp32_backward_args &args)
{
    const int32_t sq = static_cast<int32_t>(args.sq);
    const int32_t kv = static_cast<int32_t>(args.kv);
    const float scale = static_cast<float>(args.scale);
    auto *q = (__gm__ float *)args.q;
    auto *k = (__gm__ float *)args.k;
    auto *v = (__gm__ float *)args.v;
    auto *o = (__gm__ float *)args.o;
    auto *d_o = (__gm__ float *)args.d_o;
    auto *d_q = (__gm__ float *)args.d_q;
    auto *d_k = (__gm__ float *)args.d_k;
    auto *d_v = (__gm__ float *)args.d_v;
    // Values between kernels.
    auto *s = static_cast<__gm__ float *>(rt.workspace(int64_t(kv) * sq * 8 * sizeof(float)));
    auto *p = static_cast<__gm__ float *>(rt.workspace(int64_t(kv) * sq * 8 * sizeof(float)));
    auto *d_p = static_cast<__gm__ float *>(rt.workspace(int64_t(kv) * sq * 8 * sizeof(float)));
    auto *d_s = static_cast<__gm__ float *>(rt.workspace(int64_t(kv) * sq * 8 * sizeof(float)));
    const int32_t cube = blocks_for(rt, Core::Cube);
    const int32_t mixed = blocks_for(rt, Core::Mixed);
    const int32_t vector = blocks_for(rt, Core::Vector);

    // The launches of one range of sq; each starts when those it names have finished. Last: its priority.
    const auto launch_range = [=, &rt](int32_t sq_begin, int32_t sq_end) {
        const int32_t scores_blocks = fewer(8, mixed);
        const Launch scores_done = rt.launch(
            "scores", Core::Mixed, scores_blocks,
            [=] {
                scores(s, q, k, scale, sq_begin, sq_end, sq, kv, scores_blocks);
            }, {}, 3);
        const int32_t weights_blocks = fewer(8, vector);
        const Launch weights_done = rt.launch(
            "weights", Core::Vector, weights_blocks,
            [=] {
                weights(p, s, sq_begin, sq_end, sq, kv, weights_blocks);
            }, {scores_done}, 2);
        const int32_t of_values_blocks = fewer(8, cube);
        rt.launch(
            "of_values", Core::Cube, of_values_blocks,
            [=] {
                of_values(d_v, p, d_o, sq, kv, of_values_blocks);
            }, {weights_done});
        const int32_t of_weights_blocks = fewer(8, cube);
        const Launch of_weights_done = rt.launch(
            "of_weights", Core::Cube, of_weights_blocks,
            [=] {
                of_weights(d_p, d_o, v, sq_begin, sq_end, sq, kv, of_weights_blocks);
            }, {}, 2);
        const int32_t of_scores_blocks = fewer(8, vector);
        const Launch of_scores_done = rt.launch(
            "of_scores", Core::Vector, of_scores_blocks,
            [=] {
                of_scores(d_s, o, d_o, d_p, p, scale, sq_begin, sq_end, sq, kv, of_scores_blocks);
            }, {of_weights_done, weights_done}, 1);
        const int32_t of_queries_blocks = fewer(8, cube);
        rt.launch(
            "of_queries", Core::Cube, of_queries_blocks,
            [=] {
                of_queries(d_q, d_s, k, sq_begin, sq_end, sq, kv, of_queries_blocks);
            }, {of_scores_done});
        const int32_t of_keys_blocks = fewer(8, cube);
        rt.launch(
            "of_keys", Core::Cube, of_keys_blocks,
            [=] {
                of_keys(d_k, d_s, q, sq, kv, of_keys_blocks);
            }, {of_scores_done});
    };

    launch_range(0, sq);
}
