// Orchestration of `mla_indexer_prolog` for cpu. Made by pyptogen; change the spec, not this file.
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>
#include <pto/runtime.hpp>

#include "../wrapper.hpp"

using pto_rt::Core;
using pto_rt::Launch;

extern "C" __global__ AICORE void norm(
    __gm__ bfloat16_t *x_n,
    __gm__ bfloat16_t *x,
    __gm__ bfloat16_t *gamma,
    float eps,
    int32_t t_begin,
    int32_t t_end,
    int32_t nblk);
extern "C" __global__ AICORE void query_down(
    __gm__ float *q_c,
    __gm__ bfloat16_t *x_n,
    __gm__ bfloat16_t *w_dq,
    int32_t t_begin,
    int32_t t_end,
    int32_t nblk);
extern "C" __global__ AICORE void query_norm(
    __gm__ int8_t *q_q,
    __gm__ float *q_s,
    __gm__ bfloat16_t *q_gamma,
    __gm__ float *q_c,
    float eps,
    int32_t t_begin,
    int32_t t_end,
    int32_t nblk);
extern "C" __global__ AICORE void query(
    __gm__ bfloat16_t *q_b,
    __gm__ bfloat16_t *q_rope,
    __gm__ int8_t *q_q,
    __gm__ int8_t *w_uq,
    __gm__ float *q_s,
    __gm__ float *w_uq_scale,
    __gm__ bfloat16_t *cos,
    __gm__ bfloat16_t *sin,
    int32_t t_begin,
    int32_t t_end,
    int32_t nblk);
extern "C" __global__ AICORE void query_absorb(
    __gm__ bfloat16_t *q_nope,
    __gm__ bfloat16_t *q_b,
    __gm__ bfloat16_t *w_uk,
    int32_t t_begin,
    int32_t t_end,
    int32_t nblk);
extern "C" __global__ AICORE void key_linear(
    __gm__ float *kv_f,
    __gm__ bfloat16_t *x_n,
    __gm__ bfloat16_t *w_dkv,
    int32_t t_begin,
    int32_t t_end,
    int32_t nblk);
extern "C" __global__ AICORE void key_norm(
    __gm__ bfloat16_t *kv_cache,
    __gm__ bfloat16_t *kv_gamma,
    __gm__ float *kv_f,
    __gm__ int64_t *slot,
    float eps,
    int32_t t_begin,
    int32_t t_end,
    int32_t nblk);
extern "C" __global__ AICORE void rotary_linear_to_key_rope(
    __gm__ bfloat16_t *kr_cache,
    __gm__ bfloat16_t *x_n,
    __gm__ bfloat16_t *w_kr,
    __gm__ bfloat16_t *cos,
    __gm__ bfloat16_t *sin,
    __gm__ int64_t *slot,
    int32_t t_begin,
    int32_t t_end,
    int32_t nblk);
extern "C" __global__ AICORE void index_linear_to_index_quant(
    __gm__ int8_t *iq,
    __gm__ half *iq_scale,
    __gm__ int8_t *q_q,
    __gm__ int8_t *w_iq,
    __gm__ float *q_s,
    __gm__ float *w_iq_scale,
    __gm__ bfloat16_t *cos,
    __gm__ bfloat16_t *sin,
    __gm__ bfloat16_t *hadamard,
    int32_t t_begin,
    int32_t t_end,
    int32_t nblk);
extern "C" __global__ AICORE void index_key_linear_to_index_weights(
    __gm__ int8_t *ik_cache,
    __gm__ half *ik_scale,
    __gm__ half *weights,
    __gm__ bfloat16_t *x_n,
    __gm__ bfloat16_t *w_ik,
    __gm__ bfloat16_t *ik_gamma,
    __gm__ bfloat16_t *ik_beta,
    __gm__ bfloat16_t *cos,
    __gm__ bfloat16_t *sin,
    __gm__ bfloat16_t *hadamard,
    __gm__ int64_t *slot,
    __gm__ bfloat16_t *w_iw,
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

extern "C" void mla_indexer_prolog_cpu(pto_rt::Runtime &rt, const mla_indexer_prolog_args &args)
{
    const int32_t t = static_cast<int32_t>(args.t);
    const float eps = static_cast<float>(args.eps);
    auto *x = (__gm__ bfloat16_t *)args.x;
    auto *gamma = (__gm__ bfloat16_t *)args.gamma;
    auto *w_dq = (__gm__ bfloat16_t *)args.w_dq;
    auto *w_uq = (__gm__ int8_t *)args.w_uq;
    auto *w_uq_scale = (__gm__ float *)args.w_uq_scale;
    auto *w_uk = (__gm__ bfloat16_t *)args.w_uk;
    auto *w_dkv = (__gm__ bfloat16_t *)args.w_dkv;
    auto *w_kr = (__gm__ bfloat16_t *)args.w_kr;
    auto *w_iq = (__gm__ int8_t *)args.w_iq;
    auto *w_iq_scale = (__gm__ float *)args.w_iq_scale;
    auto *w_ik = (__gm__ bfloat16_t *)args.w_ik;
    auto *w_iw = (__gm__ bfloat16_t *)args.w_iw;
    auto *q_gamma = (__gm__ bfloat16_t *)args.q_gamma;
    auto *kv_gamma = (__gm__ bfloat16_t *)args.kv_gamma;
    auto *ik_gamma = (__gm__ bfloat16_t *)args.ik_gamma;
    auto *ik_beta = (__gm__ bfloat16_t *)args.ik_beta;
    auto *cos = (__gm__ bfloat16_t *)args.cos;
    auto *sin = (__gm__ bfloat16_t *)args.sin;
    auto *hadamard = (__gm__ bfloat16_t *)args.hadamard;
    auto *kv_cache = (__gm__ bfloat16_t *)args.kv_cache;
    auto *kr_cache = (__gm__ bfloat16_t *)args.kr_cache;
    auto *ik_cache = (__gm__ int8_t *)args.ik_cache;
    auto *ik_scale = (__gm__ half *)args.ik_scale;
    auto *slot = (__gm__ int64_t *)args.slot;
    auto *q_nope = (__gm__ bfloat16_t *)args.q_nope;
    auto *q_rope = (__gm__ bfloat16_t *)args.q_rope;
    auto *iq = (__gm__ int8_t *)args.iq;
    auto *iq_scale = (__gm__ half *)args.iq_scale;
    auto *weights = (__gm__ half *)args.weights;
    // Values between kernels.
    auto *x_n = static_cast<__gm__ bfloat16_t *>(rt.workspace(int64_t(t) * 7168 * sizeof(bfloat16_t)));
    auto *q_c = static_cast<__gm__ float *>(rt.workspace(int64_t(t) * 1536 * sizeof(float)));
    auto *q_q = static_cast<__gm__ int8_t *>(rt.workspace(int64_t(t) * 1536 * sizeof(int8_t)));
    auto *q_s = static_cast<__gm__ float *>(rt.workspace(int64_t(t) * sizeof(float)));
    auto *q_b = static_cast<__gm__ bfloat16_t *>(rt.workspace(int64_t(t) * 6144 * sizeof(bfloat16_t)));
    auto *kv_f = static_cast<__gm__ float *>(rt.workspace(int64_t(t) * 512 * sizeof(float)));
    const int32_t cube = blocks_for(rt, Core::Cube);
    const int32_t mixed = blocks_for(rt, Core::Mixed);
    const int32_t vector = blocks_for(rt, Core::Vector);

    // The launches of one range of t; each starts when those it names have finished. Last: its priority.
    const auto launch_range = [=, &rt](int32_t t_begin, int32_t t_end) {
        const int32_t norm_blocks = fewer((t_end - t_begin + 1) / 2, vector);
        const Launch norm_done = rt.launch(
            "norm", Core::Vector, norm_blocks,
            [=] {
                norm(x_n, x, gamma, eps, t_begin, t_end, norm_blocks);
            }, {}, 4);
        const int32_t query_down_blocks = fewer(12, cube);
        const Launch query_down_done = rt.launch(
            "query_down", Core::Cube, query_down_blocks,
            [=] {
                query_down(q_c, x_n, w_dq, t_begin, t_end, query_down_blocks);
            }, {norm_done}, 3);
        const int32_t query_norm_blocks = fewer((t_end - t_begin + 7) / 8, vector);
        const Launch query_norm_done = rt.launch(
            "query_norm", Core::Vector, query_norm_blocks,
            [=] {
                query_norm(q_q, q_s, q_gamma, q_c, eps, t_begin, t_end, query_norm_blocks);
            }, {query_down_done}, 2);
        const int32_t query_blocks = fewer(32, mixed);
        const Launch query_done = rt.launch(
            "query", Core::Mixed, query_blocks,
            [=] {
                query(q_b, q_rope, q_q, w_uq, q_s, w_uq_scale, cos, sin, t_begin, t_end, query_blocks);
            }, {query_norm_done}, 1);
        const int32_t query_absorb_blocks = fewer(32, cube);
        rt.launch(
            "query_absorb", Core::Cube, query_absorb_blocks,
            [=] {
                query_absorb(q_nope, q_b, w_uk, t_begin, t_end, query_absorb_blocks);
            }, {query_done});
        const int32_t key_linear_blocks = fewer((t_end - t_begin + 255) / 256, cube);
        const Launch key_linear_done = rt.launch(
            "key_linear", Core::Cube, key_linear_blocks,
            [=] {
                key_linear(kv_f, x_n, w_dkv, t_begin, t_end, key_linear_blocks);
            }, {norm_done}, 1);
        const int32_t key_norm_blocks = fewer((t_end - t_begin + 15) / 16, vector);
        rt.launch(
            "key_norm", Core::Vector, key_norm_blocks,
            [=] {
                key_norm(kv_cache, kv_gamma, kv_f, slot, eps, t_begin, t_end, key_norm_blocks);
            }, {key_linear_done});
        const int32_t rotary_linear_to_key_rope_blocks = fewer((t_end - t_begin + 255) / 256, mixed);
        rt.launch(
            "rotary_linear_to_key_rope", Core::Mixed, rotary_linear_to_key_rope_blocks,
            [=] {
                rotary_linear_to_key_rope(kr_cache, x_n, w_kr, cos, sin, slot, t_begin, t_end,
                    rotary_linear_to_key_rope_blocks);
            }, {norm_done});
        const int32_t index_linear_to_index_quant_blocks = fewer(64, mixed);
        rt.launch(
            "index_linear_to_index_quant", Core::Mixed, index_linear_to_index_quant_blocks,
            [=] {
                index_linear_to_index_quant(iq, iq_scale, q_q, w_iq, q_s, w_iq_scale, cos, sin, hadamard,
                    t_begin, t_end, index_linear_to_index_quant_blocks);
            }, {query_norm_done});
        const int32_t index_key_linear_to_index_weights_blocks = fewer((t_end - t_begin + 255) / 256, mixed);
        rt.launch(
            "index_key_linear_to_index_weights", Core::Mixed, index_key_linear_to_index_weights_blocks,
            [=] {
                index_key_linear_to_index_weights(ik_cache, ik_scale, weights, x_n, w_ik, ik_gamma, ik_beta,
                    cos, sin, hadamard, slot, w_iw, eps, t_begin, t_end,
                    index_key_linear_to_index_weights_blocks);
            }, {norm_done});
    };

    launch_range(0, t);
}
