// Orchestration of `indexer_prolog_v4` for cpu. Made by pyptogen; change the spec, not this file.
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>
#include <pto/runtime.hpp>

#include "../wrapper.hpp"

using pto_rt::Core;
using pto_rt::Launch;

extern "C" __global__ AICORE void query(
    __gm__ int8_t *q,
    __gm__ half *q_scale,
    __gm__ int8_t *q_norm,
    __gm__ int8_t *w_qb,
    __gm__ float *q_norm_scale,
    __gm__ float *w_qb_scale,
    __gm__ bfloat16_t *cos,
    __gm__ bfloat16_t *sin,
    __gm__ bfloat16_t *hadamard,
    int32_t t_begin,
    int32_t t_end,
    int32_t nblk);
extern "C" __global__ AICORE void head_weights(
    __gm__ half *weights,
    __gm__ bfloat16_t *x,
    __gm__ bfloat16_t *w_proj,
    int32_t t_begin,
    int32_t t_end,
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

extern "C" void indexer_prolog_v4_cpu(pto_rt::Runtime &rt, const indexer_prolog_v4_args &args)
{
    const int32_t t = static_cast<int32_t>(args.t);
    auto *x = (__gm__ bfloat16_t *)args.x;
    auto *q_norm = (__gm__ int8_t *)args.q_norm;
    auto *q_norm_scale = (__gm__ float *)args.q_norm_scale;
    auto *w_qb = (__gm__ int8_t *)args.w_qb;
    auto *w_qb_scale = (__gm__ float *)args.w_qb_scale;
    auto *w_proj = (__gm__ bfloat16_t *)args.w_proj;
    auto *cos = (__gm__ bfloat16_t *)args.cos;
    auto *sin = (__gm__ bfloat16_t *)args.sin;
    auto *hadamard = (__gm__ bfloat16_t *)args.hadamard;
    auto *q = (__gm__ int8_t *)args.q;
    auto *q_scale = (__gm__ half *)args.q_scale;
    auto *weights = (__gm__ half *)args.weights;
    const int32_t mixed = blocks_for(rt, Core::Mixed);

    // The launches of one range of t; each starts when those it names have finished.
    const auto launch_range = [=, &rt](int32_t t_begin, int32_t t_end) {
        const int32_t query_blocks = fewer(64, mixed);
        rt.launch(
            "query", Core::Mixed, query_blocks,
            [=] {
                query(q, q_scale, q_norm, w_qb, q_norm_scale, w_qb_scale, cos, sin, hadamard, t_begin, t_end,
                    query_blocks);
            });
        const int32_t head_weights_blocks = fewer((t_end - t_begin + 255) / 256, mixed);
        rt.launch(
            "head_weights", Core::Mixed, head_weights_blocks,
            [=] {
                head_weights(weights, x, w_proj, t_begin, t_end, head_weights_blocks);
            });
    };

    launch_range(0, t);
}
