// Orchestration of `glm_attention_pre` for cpu. Made by pyptogen; change the spec, not this file.
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>
#include <pto/runtime.hpp>

#include "../wrapper.hpp"

using pto_rt::Core;
using pto_rt::Launch;

extern "C" __global__ AICORE void norm(
    __gm__ bfloat16_t *sum,
    __gm__ int8_t *n_q,
    __gm__ float *n_scale,
    __gm__ bfloat16_t *x,
    __gm__ bfloat16_t *residual,
    __gm__ bfloat16_t *gamma,
    float eps,
    int32_t t_begin,
    int32_t t_end,
    int32_t nblk);
extern "C" __global__ AICORE void query(
    __gm__ bfloat16_t *q,
    __gm__ int8_t *n_q,
    __gm__ int8_t *w_q,
    __gm__ bfloat16_t *q_gamma,
    __gm__ float *n_scale,
    __gm__ float *q_scale,
    __gm__ float *q_bias,
    __gm__ bfloat16_t *cos,
    __gm__ bfloat16_t *sin,
    float eps,
    int32_t t_begin,
    int32_t t_end,
    int32_t nblk);
extern "C" __global__ AICORE void key(
    __gm__ bfloat16_t *k_cache,
    __gm__ bfloat16_t *v_cache,
    __gm__ int8_t *n_q,
    __gm__ int8_t *w_k,
    __gm__ int8_t *w_v,
    __gm__ bfloat16_t *k_gamma,
    __gm__ float *n_scale,
    __gm__ float *k_scale,
    __gm__ float *k_bias,
    __gm__ bfloat16_t *cos,
    __gm__ bfloat16_t *sin,
    __gm__ int64_t *slot,
    __gm__ float *v_scale,
    __gm__ float *v_bias,
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

extern "C" void glm_attention_pre_cpu(pto_rt::Runtime &rt, const glm_attention_pre_args &args)
{
    const int32_t t = static_cast<int32_t>(args.t);
    const float eps = static_cast<float>(args.eps);
    auto *x = (__gm__ bfloat16_t *)args.x;
    auto *residual = (__gm__ bfloat16_t *)args.residual;
    auto *gamma = (__gm__ bfloat16_t *)args.gamma;
    auto *w_q = (__gm__ int8_t *)args.w_q;
    auto *w_k = (__gm__ int8_t *)args.w_k;
    auto *w_v = (__gm__ int8_t *)args.w_v;
    auto *q_scale = (__gm__ float *)args.q_scale;
    auto *k_scale = (__gm__ float *)args.k_scale;
    auto *v_scale = (__gm__ float *)args.v_scale;
    auto *q_bias = (__gm__ float *)args.q_bias;
    auto *k_bias = (__gm__ float *)args.k_bias;
    auto *v_bias = (__gm__ float *)args.v_bias;
    auto *q_gamma = (__gm__ bfloat16_t *)args.q_gamma;
    auto *k_gamma = (__gm__ bfloat16_t *)args.k_gamma;
    auto *cos = (__gm__ bfloat16_t *)args.cos;
    auto *sin = (__gm__ bfloat16_t *)args.sin;
    auto *k_cache = (__gm__ bfloat16_t *)args.k_cache;
    auto *v_cache = (__gm__ bfloat16_t *)args.v_cache;
    auto *slot = (__gm__ int64_t *)args.slot;
    auto *q = (__gm__ bfloat16_t *)args.q;
    auto *sum = (__gm__ bfloat16_t *)args.sum;
    // Values between kernels.
    auto *n_q = static_cast<__gm__ int8_t *>(rt.workspace(int64_t(t) * 5120 * sizeof(int8_t)));
    auto *n_scale = static_cast<__gm__ float *>(rt.workspace(int64_t(t) * sizeof(float)));
    const int32_t mixed = blocks_for(rt, Core::Mixed);
    const int32_t vector = blocks_for(rt, Core::Vector);

    // The launches of one range of t; each starts when those it names have finished. Last: its priority.
    const auto launch_range = [=, &rt](int32_t t_begin, int32_t t_end) {
        const int32_t norm_blocks = fewer((t_end - t_begin + 3) / 4, vector);
        const Launch norm_done = rt.launch(
            "norm", Core::Vector, norm_blocks,
            [=] {
                norm(sum, n_q, n_scale, x, residual, gamma, eps, t_begin, t_end, norm_blocks);
            }, {}, 1);
        const int32_t query_blocks = fewer(12, mixed);
        rt.launch(
            "query", Core::Mixed, query_blocks,
            [=] {
                query(q, n_q, w_q, q_gamma, n_scale, q_scale, q_bias, cos, sin, eps, t_begin, t_end,
                    query_blocks);
            }, {norm_done});
        const int32_t key_blocks = fewer((t_end - t_begin + 255) / 256, mixed);
        rt.launch(
            "key", Core::Mixed, key_blocks,
            [=] {
                key(k_cache, v_cache, n_q, w_k, w_v, k_gamma, n_scale, k_scale, k_bias, cos, sin, slot, v_scale,
                    v_bias, eps, t_begin, t_end, key_blocks);
            }, {norm_done});
    };

    launch_range(0, t);
}
