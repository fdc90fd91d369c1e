// Orchestration of `indexer_prolog` for cpu. Made by pyptogen; change the spec, not this file.
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
    __gm__ bfloat16_t *hadamard_q,
    int32_t t_begin,
    int32_t t_end,
    int32_t nblk);
extern "C" __global__ AICORE void key_linear_to_key_quant(
    __gm__ half *weights,
    __gm__ int8_t *k_cache,
    __gm__ half *k_scale_cache,
    __gm__ bfloat16_t *x,
    __gm__ bfloat16_t *w_k,
    __gm__ bfloat16_t *ln_gamma,
    __gm__ bfloat16_t *ln_beta,
    __gm__ bfloat16_t *w_proj,
    __gm__ bfloat16_t *cos,
    __gm__ bfloat16_t *sin,
    __gm__ bfloat16_t *hadamard_k,
    __gm__ int64_t *k_index,
    float eps,
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

extern "C" void indexer_prolog_cpu(pto_rt::Runtime &rt, const indexer_prolog_args &args)
{
    const int32_t t = static_cast<int32_t>(args.t);
    const float eps = static_cast<float>(args.eps);
    auto *x = (__gm__ bfloat16_t *)args.x;
    auto *q_norm = (__gm__ int8_t *)args.q_norm;
    auto *q_norm_scale = (__gm__ float *)args.q_norm_scale;
    auto *w_qb = (__gm__ int8_t *)args.w_qb;
    auto *w_qb_scale = (__gm__ float *)args.w_qb_scale;
    auto *w_k = (__gm__ bfloat16_t *)args.w_k;
    auto *w_proj = (__gm__ bfloat16_t *)args.w_proj;
    auto *ln_gamma = (__gm__ bfloat16_t *)args.ln_gamma;
    auto *ln_beta = (__gm__ bfloat16_t *)args.ln_beta;
    auto *cos = (__gm__ bfloat16_t *)args.cos;
    auto *sin = (__gm__ bfloat16_t *)args.sin;
    auto *hadamard_q = (__gm__ bfloat16_t *)args.hadamard_q;
    auto *hadamard_k = (__gm__ bfloat16_t *)args.hadamard_k;
    auto *k_cache = (__gm__ int8_t *)args.k_cache;
    auto *k_scale_cache = (__gm__ half *)args.k_scale_cache;
    auto *k_index = (__gm__ int64_t *)args.k_index;
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
                query(q, q_scale, q_norm, w_qb, q_norm_scale, w_qb_scale, cos, sin, hadamard_q, t_begin, t_end,
                    query_blocks);
            });
        const int32_t key_linear_to_key_quant_blocks = fewer((t_end - t_begin + 255) / 256, mixed);
        rt.launch(
            "key_linear_to_key_quant", Core::Mixed, key_linear_to_key_quant_blocks,
            [=] {
                key_linear_to_key_quant(weights, k_cache, k_scale_cache, x, w_k, ln_gamma, ln_beta, w_proj, cos,
                    sin, hadamard_k, k_index, eps, t_begin, t_end,
                    key_linear_to_key_quant_blocks);
            });
    };

    launch_range(0, t);
}
