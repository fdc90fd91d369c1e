// Orchestration of `glm_attention_pre` for a2a3. Made by pyptogen; change the spec, not this file.
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
extern "C" __global__ AICORE void query_linear(
    __gm__ int32_t *q_i,
    __gm__ int8_t *n_q,
    __gm__ int8_t *w_q,
    int32_t t_begin,
    int32_t t_end,
    int32_t nblk);
extern "C" __global__ AICORE void query_rope(
    __gm__ bfloat16_t *q,
    __gm__ int32_t *q_i,
    __gm__ float *n_scale,
    __gm__ float *q_scale,
    __gm__ float *q_bias,
    __gm__ bfloat16_t *q_gamma,
    __gm__ bfloat16_t *cos,
    __gm__ bfloat16_t *sin,
    float eps,
    int32_t t_begin,
    int32_t t_end,
    int32_t nblk);
extern "C" __global__ AICORE void key_linear(
    __gm__ int32_t *k_i,
    __gm__ int32_t *v_i,
    __gm__ int8_t *n_q,
    __gm__ int8_t *w_k,
    __gm__ int8_t *w_v,
    int32_t t_begin,
    int32_t t_end,
    int32_t nblk);
extern "C" __global__ AICORE void key_rope(
    __gm__ bfloat16_t *k_cache,
    __gm__ bfloat16_t *v_cache,
    __gm__ int32_t *k_i,
    __gm__ float *n_scale,
    __gm__ float *k_scale,
    __gm__ float *k_bias,
    __gm__ bfloat16_t *k_gamma,
    __gm__ bfloat16_t *cos,
    __gm__ bfloat16_t *sin,
    __gm__ int64_t *slot,
    __gm__ int32_t *v_i,
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

extern "C" void glm_attention_pre_a2a3(pto_rt::Runtime &rt, const glm_attention_pre_args &args)
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
    auto *q_i = static_cast<__gm__ int32_t *>(rt.workspace(int64_t(t) * 1536 * sizeof(int32_t)));
    auto *k_i = static_cast<__gm__ int32_t *>(rt.workspace(int64_t(t) * 128 * sizeof(int32_t)));
    auto *v_i = static_cast<__gm__ int32_t *>(rt.workspace(int64_t(t) * 128 * sizeof(int32_t)));
    const int32_t cube = blocks_for(rt, Core::Cube);
    const int32_t vector = blocks_for(rt, Core::Vector);

    // The launches of one range of t; each starts when those it names have finished. Last: its priority.
    const auto launch_range = [=, &rt](int32_t t_begin, int32_t t_end) {
        const int32_t norm_blocks = fewer(t_end - t_begin, vector);
        const Launch norm_done = rt.launch(
            "norm", Core::Vector, norm_blocks,
            [=] {
                norm(sum, n_q, n_scale, x, residual, gamma, eps, t_begin, t_end, norm_blocks);
            }, {}, 4);
        const int32_t query_linear_blocks = fewer(int64_t((t_end - t_begin + 255) / 256) * 12, cube);
        const Launch query_linear_done = rt.launch(
            "query_linear", Core::Cube, query_linear_blocks,
            [=] {
                query_linear(q_i, n_q, w_q, t_begin, t_end, query_linear_blocks);
            }, {norm_done}, 3);
        const int32_t query_rope_blocks = fewer(int64_t((t_end - t_begin + 31) / 32) * 12, vector);
        rt.launch(
            "query_rope", Core::Vector, query_rope_blocks,
            [=] {
                query_rope(q, q_i, n_scale, q_scale, q_bias, q_gamma, cos, sin, eps, t_begin, t_end,
                    query_rope_blocks);
            }, {query_linear_done, norm_done}, 1);
        const int32_t key_linear_blocks = fewer(int64_t((t_end - t_begin + 31) / 32) * 2, cube);
        const Launch key_linear_done = rt.launch(
            "key_linear", Core::Cube, key_linear_blocks,
            [=] {
                key_linear(k_i, v_i, n_q, w_k, w_v, t_begin, t_end, key_linear_blocks);
            }, {norm_done}, 2);
        const int32_t key_rope_blocks = fewer((t_end - t_begin + 3) / 4, vector);
        rt.launch(
            "key_rope", Core::Vector, key_rope_blocks,
            [=] {
                key_rope(k_cache, v_cache, k_i, n_scale, k_scale, k_bias, k_gamma, cos, sin, slot, v_i, v_scale,
                    v_bias, eps, t_begin, t_end, key_rope_blocks);
            }, {key_linear_done, norm_done});
    };

    launch_range(0, t);
}
